// Tests the command line of `npm run regress`: the run and file, and the messages for invalid options.
import { describe, expect, it } from 'vitest';
import { readRegressArguments } from './regress-arguments.ts';

const RUN = '0197f1a0-0000-7000-8000-000000000001';
const usual = ['--url', 'http://x.test', '--run', RUN.toUpperCase()];
const env = { COUNTERSIGN_API_KEY: 'csk_1' };

describe('npm run regress', () => {
  it('reads cases into a file, or answers from one', () => {
    const common = { url: 'http://x.test', apiKey: 'csk_1', run: RUN };
    expect(readRegressArguments([...usual, '--read', 'c.jsonl'], env)).toEqual({
      ...common,
      read: true,
      file: 'c.jsonl',
    });
    const own = readRegressArguments([...usual, '--key', 'csk_2', 'a.jsonl'], env);
    expect(own).toEqual({ ...common, apiKey: 'csk_2', read: false, file: 'a.jsonl' });
    expect(readRegressArguments(['-h'], {})).toBe('help');
  });

  it('starts a run over all, or over some', () => {
    const begins = (...more: string[]) =>
      readRegressArguments(['--url', 'http://x.test', '--start', 'c.jsonl', ...more], env);
    expect(begins()).toMatchObject({ run: {}, read: true, file: 'c.jsonl' });
    expect(begins('--cluster', RUN, '--action', 'edit', '--model', 'm', '--title', ' v2 ')).toMatchObject({
      run: { cluster_id: RUN, action: 'edit', model: 'm', title: 'v2' },
    });
    expect(() => begins('--run', RUN)).toThrow('--run');
    expect(() => begins('--action', 'approve')).toThrow('--action');
    expect(() => begins('--cluster', '7')).toThrow('--cluster');
    expect(() => readRegressArguments([...usual, '--model', 'm', 'a.jsonl'], env)).toThrow('--start');
  });

  it.each([
    [usual, 'Name one JSONL file.'],
    [[...usual, '--read', 'c.jsonl', 'a.jsonl'], 'Name one JSONL file.'],
    [['--url', 'x', '--run', RUN, 'a.jsonl'], '--url'],
    [['--url', 'http://x.test', '--run', '7', 'a.jsonl'], '--run'],
    [[...usual, '--colour'], '--colour'],
  ])('%j is refused with its reason', (args, words) => {
    expect(() => readRegressArguments(args, env)).toThrow(words);
    expect(() => readRegressArguments([...usual, 'a.jsonl'], {})).toThrow('API key');
  });
});
