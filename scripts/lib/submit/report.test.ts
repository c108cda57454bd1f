// Tests the summary of a submitted file, and its exit code.
import { describe, expect, it } from 'vitest';
import { duration, exitCode, formatSummary } from './report.ts';
import { count, emptySummary } from './tally.ts';

const refused = { kind: 'refused', code: 'validation_failed', detail: '#/confidence: is missing' } as const;
const stopped = { code: 'unreachable', detail: 'The service cannot be reached.' };

describe('formatSummary', () => {
  it('lists the first four statuses even at 0, others only where they occur, and the total with its rate', () => {
    const summary = emptySummary();
    count(summary, 1, { kind: 'taken', status: 'auto_approved', replayed: false });
    count(summary, 2, { kind: 'taken', status: 'approved', replayed: true });
    const text = formatSummary({ ...summary, seconds: 4, retries: 1 });
    expect(text).toBe(
      [
        '  auto_approved  1',
        '  queued         0',
        '  escalated      0',
        '  rejected       0',
        '  already there  1   submitted by an earlier run',
        '  total          2   in 4.0 s, 1 per second, 1 retry',
        '',
      ].join('\n'),
    );
  });

  it('says which lines were refused, why, and what to do', () => {
    const summary = emptySummary();
    for (let line = 1; line <= 7; line += 1) count(summary, line * 10, refused);
    const text = formatSummary(summary);
    expect(text).toContain('  Lines 10, 20, 30, 40, 50 and 2 more: validation_failed\n    #/confidence: is missing\n');
    expect(text).toContain('Correct the field and run the same command again.');
  });

  it('keeps a bounded number of groups however many kinds of refusals there are', () => {
    const summary = emptySummary();
    for (let line = 1; line <= 1000; line += 1) {
      count(summary, line, { kind: 'refused', code: `code_${line}`, detail: 'x' });
    }
    expect(summary.refusals.length).toBeLessThanOrEqual(21);
    expect(summary.refusals.reduce((sum, group) => sum + group.count, 0)).toBe(1000);
  });

  it('says why a run stopped and how to go on', () => {
    const text = formatSummary({ ...emptySummary(), stopped, unsent: 4, lines: 4 });
    expect(text).toContain('not answered   4   the run ended first');
    expect(text).toContain('Stopped before the end. The service cannot be reached.');
  });
});

describe('exitCode', () => {
  it('is 0 when every line was taken, 1 when some were not, 130 when a person stopped the run', () => {
    expect(exitCode(emptySummary())).toBe(0);
    expect(exitCode({ ...emptySummary(), refused: 1 })).toBe(1);
    expect(exitCode({ ...emptySummary(), stopped })).toBe(1);
    expect(exitCode({ ...emptySummary(), stopped: { code: 'interrupted', detail: '' } })).toBe(130);
  });
});

describe('duration', () => {
  it.each([
    [0, '0.0 s'],
    [9.96, '10 s'],
    [59.6, '1 min 00 s'],
    [125, '2 min 05 s'],
    [3725, '1 h 02 min'],
  ])('%f seconds is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
