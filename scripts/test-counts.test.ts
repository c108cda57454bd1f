// The last line of `npm test` must never look greener than the run was.
import { describe, expect, it } from 'vitest';
import { countTests, type Report } from './test-counts.ts';

const ran = (name: string, ...statuses: Report['testResults'][number]['assertionResults'][number]['status'][]) => ({
  name: `/repo/${name}`,
  status: statuses.includes('failed') ? ('failed' as const) : ('passed' as const),
  assertionResults: statuses.map((status) => ({ status })),
});
const fine = { exitCode: 0, postgresSkipped: false };

describe('countTests', () => {
  it('adds up passed, failed and whatever did not run', () => {
    const report = {
      testResults: [ran('a.test.ts', 'passed', 'failed', 'todo'), ran('b.test.ts', 'passed', 'skipped')],
    };
    expect(countTests(report, { ...fine, exitCode: 1 })).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  it('counts a file that did not load as one failure', () => {
    const report = { testResults: [{ ...ran('a.test.ts'), status: 'failed' as const }, ran('b.test.ts', 'passed')] };
    expect(countTests(report, { ...fine, exitCode: 1 })).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  it('counts a run that ended badly, or left no report, as a failure', () => {
    expect(countTests({ testResults: [ran('a.test.ts', 'passed')] }, { ...fine, exitCode: 1 }).failed).toBe(1);
    expect(countTests(undefined, fine).failed).toBe(1);
  });

  it('counts the database suites as skipped once more when there was no PostgreSQL', () => {
    const report = {
      testResults: [ran('server/test/journeys/a.test.ts', 'passed', 'passed'), ran('server/src/b.test.ts', 'passed')],
    };
    expect(countTests(report, { ...fine, postgresSkipped: true })).toEqual({ passed: 3, failed: 0, skipped: 2 });
  });
});
