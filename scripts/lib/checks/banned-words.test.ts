// The words that are refused, and where they are looked for.
import { describe, expect, it } from 'vitest';
import { wordFaults } from './banned-words.ts';

describe('banned words', () => {
  it.each([
    ['a comment', 'a.ts', '// Reads the ledger.\nconst a = 1;', 'a.ts:1 says “ledger”: event log.'],
    ['a docstring', 'a.ts', 'const a = 1;\n/** Whoever asks. */\nfunction f() {}', 'a.ts:2 says “whoever”: say who.'],
    ['a title of a test', 'a.test.ts', "it('begins anew', () => {});", 'a.test.ts:1 says “anew”: again.'],
    [
      'a title of a table',
      'a.test.ts',
      "it.each([1])('of a desk %i', () => {});",
      'a.test.ts:1 says “desk”: review session.',
    ],
    [
      'a script in a component',
      'A.svelte',
      '<p>x</p>\n<script>\n// a lapse\nlet a;\n</script>',
      'A.svelte:3 says “lapse”: expire.',
    ],
    ['markup', 'A.svelte', '<p>x</p>\n<!-- the tray -->', 'A.svelte:2 says “tray”: recent decisions.'],
    ['a sentence', 'a.ts', "const a = 'The desk is full.';", 'a.ts:1 says “desk”: review session.'],
    ['a template', 'a.ts', 'const a = `The desk of ${b}.`;', 'a.ts:1 says “desk”: review session.'],
    ['a snippet', 'a.sh', '# Whoever calls.\ncurl x', 'a.sh:1 says “whoever”: say who.'],
    ['a compose file', 'a.yml', 'a: 1 # one desk', 'a.yml:1 says “desk”: review session.'],
    ['a document', 'a.md', '# Title\n\nThe ledger.', 'a.md:3 says “ledger”: event log.'],
  ])('are found in %s', (_, file, source, fault) => {
    expect(wordFaults(file, source)).toEqual([fault]);
  });

  it('are allowed as code, in SQL, in names and inside of other words', () => {
    expect(wordFaults('a.ts', "// `ledger` and desktop\nconst desk = 'pulse';")).toEqual([]);
    expect(wordFaults('a.ts', "const a = `select kind from keeping where kind = 'ledger'`;")).toEqual([]);
    expect(wordFaults('a.md', 'The column `emptied_at`.')).toEqual([]);
  });
});
