// Tests which opening comments of files are refused.
import { describe, expect, it } from 'vitest';
import { openingFaults } from './opening-lines.ts';

const SEVERAL = 'opens with a comment of several lines: say in one line what the file is.';
const MISSING = 'opens without a comment: say in one line what the file is.';

describe('the check of opening comments', () => {
  it.each([
    ['two lines', 'a.ts', '// Reads items,\n// and more.\nconst a = 1;', SEVERAL],
    ['a block of lines', 'a.ts', '/*\n * Reads items.\n */\nconst a = 1;', SEVERAL],
    ['two lines of markup', 'A.svelte', '<!--\n  A row.\n-->\n<p>x</p>', SEVERAL],
    ['two lines after an instruction', 'a.ts', '// @vitest-environment happy-dom\n// One,\n// two.\n', SEVERAL],
    ['no comment', 'a.ts', 'const a = 1;\n// Later.', MISSING],
    ['no comment in markup', 'A.svelte', '<p>x</p>', MISSING],
    ['121 characters', 'a.ts', `// ${'x'.repeat(118)}\n`, 'opens with a line of 121 characters: use at most 120.'],
  ])('refuses a file that opens with %s', (_, file, source, fault) => {
    expect(openingFaults(file, source)).toEqual([`${file} ${fault}`]);
  });

  it.each([
    ['one line', 'a.ts', '// Reads items.\nconst a = 1;'],
    ['120 characters', 'a.ts', `// ${'x'.repeat(117)}\n`],
    ['one line of markup', 'A.svelte', '<!-- A row. -->\n<!-- More. -->\n<p>x</p>'],
    ['one line after instructions', 'a.ts', '#!/usr/bin/env node\n// Reads items.\n'],
    ['one line before a reference', 'a.test.ts', '// Tests items.\n/// <reference types="node" />\n'],
  ])('allows a file that opens with %s', (_, file, source) => {
    expect(openingFaults(file, source)).toEqual([]);
  });
});
