// Tests the command line of `npm run export`: the selection, and the messages for invalid options.
import { describe, expect, it } from 'vitest';
import { readExportArguments } from './export-arguments.ts';

const ID = '0197f1a0-0000-7000-8000-000000000001';
const usual = ['--project', ID.toUpperCase(), 'out.jsonl'];

describe('npm run export', () => {
  it('exports everything as raw by default', () => {
    const filter = { format: 'raw', test_share: 0.2 };
    expect(readExportArguments(usual)).toEqual({ projectId: ID, filter, file: 'out.jsonl' });
    expect(readExportArguments(['--help'])).toBe('help');
  });

  it('takes every part of a filter', () => {
    const asked = ['--format', 'eval', '--action', 'edit', '--reason', 'Wrong fact', '--flag', 'pii', '--model', 'm'];
    const more = ['--source', 's', '--cluster', ID, '--split', 'test', '--test-share', '0.5'];
    expect(readExportArguments([...usual, ...asked, ...more])).toMatchObject({
      filter: {
        format: 'eval',
        action: 'edit',
        reason: 'Wrong fact',
        flag: 'pii',
        model: 'm',
        source: 's',
        cluster: ID,
        split: 'test',
        test_share: 0.5,
      },
    });
  });

  it.each([
    [['--project', ID], 'Name one JSONL file.'],
    [['--project', 'x', 'out.jsonl'], '--project'],
    [[...usual, '--format', 'csv'], '--format: '],
    [[...usual, '--test-share', '2'], '--test-share: '],
    [[...usual, '--colour'], '--colour'],
  ])('%j is refused with its reason', (args, words) => {
    expect(() => readExportArguments(args)).toThrow(words);
  });
});
