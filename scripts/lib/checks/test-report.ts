// Reads vitest's JSON report: the counts for the last line of `npm test`, and which tests failed.
import { readFileSync } from 'node:fs';
import type { JsonAssertionResult, JsonTestResult } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The part of the report that counts. */
export interface Report {
  testResults: readonly {
    name: JsonTestResult['name'];
    status: JsonTestResult['status'];
    assertionResults: readonly Pick<JsonAssertionResult, 'status' | 'fullName'>[];
  }[];
}

/**
 * Counts tests. A file that failed without a failing test (it did not load, a hook threw) is one failure, and so is a run that
 * ended badly without any: a red run never counts zero failures. Without a report (undefined) nothing ran, which is a failure.
 */
export function countTests(report: Report | undefined, exitCode: number): Counts {
  const files = report?.testResults ?? [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const of = (status: string) => file.assertionResults.filter((test) => test.status === status).length;
    const failed = of('failed');
    counts.passed += of('passed');
    counts.failed += failed === 0 && file.status === 'failed' ? 1 : failed;
    counts.skipped += file.assertionResults.length - of('passed') - failed;
  }
  if (counts.failed === 0 && (exitCode !== 0 || report === undefined)) counts.failed = 1;
  return counts;
}

/** What failed: each test by its file and full name, and a file that did not load, or whose hook threw, as itself. */
export function failuresOf(report: Report | undefined): { file: string; name: string }[] {
  return (report?.testResults ?? []).flatMap(({ name: file, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0) return status === 'failed' ? [{ file, name: '(the file itself)' }] : [];
    return tests.map(({ fullName }) => ({ file, name: fullName }));
  });
}

/** The report in a file; undefined where there is none, as after a run that was killed. */
export function readReport(file: string): Report | undefined {
  try {
    // The file is vitest's own and a moment old: its type is vitest's word.
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
