// Tests that the last line of `npm test` never looks greener than the run was.
import { describe, expect, it } from 'vitest';
import { countTests, failuresOf, readReport, type Report } from './test-report.ts';

const ran = (name: string, ...statuses: Report['testResults'][number]['assertionResults'][number]['status'][]) => ({
  name: `/repo/${name}`,
  status: statuses.includes('failed') ? ('failed' as const) : ('passed' as const),
  assertionResults: statuses.map((status) => ({ status, fullName: `a ${status} test` })),
});

describe('countTests', () => {
  it('counts passed, failed and skipped tests', () => {
    const report = {
      testResults: [ran('a.test.ts', 'passed', 'failed', 'todo'), ran('b.test.ts', 'passed', 'skipped')],
    };
    expect(countTests(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  it('counts a file that did not load as one failure', () => {
    const report = { testResults: [{ ...ran('a.test.ts'), status: 'failed' as const }, ran('b.test.ts', 'passed')] };
    expect(countTests(report, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('counts a run that ended badly, or left no report, as a failure', () => {
    expect(countTests({ testResults: [ran('a.test.ts', 'passed')] }, 1).failed).toBe(1);
    expect(countTests(undefined, 0).failed).toBe(1);
  });
});

describe('failuresOf', () => {
  it('names each test that failed, and a file that did not load', () => {
    const broken = { ...ran('broken.test.ts'), status: 'failed' as const };
    const report = { testResults: [ran('a.test.ts', 'passed', 'failed'), broken, ran('b.test.ts', 'passed')] };
    expect(failuresOf(report)).toEqual([
      { file: '/repo/a.test.ts', name: 'a failed test' },
      { file: '/repo/broken.test.ts', name: '(the file itself)' },
    ]);
  });

  it('returns nothing for a run without a report', () => {
    expect(failuresOf(readReport('/no/such/report.json'))).toEqual([]);
  });
});
