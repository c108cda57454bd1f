// Each kind of content is recognized by its rule, by nothing that only resembles it, and can be fixed by a project.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTENT_KINDS } from '@countersign/shared/enums';
import type { Json } from '@countersign/shared/json/json';
import { classify, describeShape, KINDS, type Kind } from '../classify.ts';
import { CONTENTS } from '../contents.fixture.ts';
import { HOSTILE_TEXTS } from '../hostile.fixture.ts';
import { checkQuote, citedPieces } from './cited-answer.ts';
import { codeOf } from './code.ts';
import { mathPieces } from './math.ts';
import { kindAt, kindsOf } from './pointers.ts';
import { toolCallsOf } from './tool-call.ts';
import { unifiedDiffLines } from './unified-diff.ts';

const kind = (value: Json) => classify(value).kind;

describe('the contents a reviewer meets', () => {
  it.each<[string, Kind, Kind]>([
    ['chat of 30 turns', 'chat', 'text'],
    ['contract of 40 kB', 'text', 'fields'],
    ['table of 12 columns', 'table', 'table'],
    ['tree of six levels', 'field', 'fields'],
    ['invoice', 'fields', 'fields'],
    ['Markdown', 'text', 'markdown'],
    ['diff', 'text', 'diff'],
    ['code', 'text', 'code'],
    ['picture with boxes', 'fields', 'fields'],
    ['list of pictures', 'text', 'list'],
    ['PDF', 'fields', 'fields'],
    ['links', 'list', 'text'],
    ['Arabic', 'field', 'text'],
    ['Japanese', 'text', 'text'],
    ['HTML mail', 'text', 'html'],
    ['tool call', 'fields', 'call'],
    ['cited answer', 'fields', 'cited'],
    ['labels', 'text', 'fields'],
    ['hidden characters', 'text', 'text'],
  ])('%s: %s and %s', (name, input, suggestion) => {
    const content = CONTENTS[name];
    expect([kind(content?.input ?? null), kind(content?.suggestion ?? null)]).toEqual([input, suggestion]);
  });
});

describe('a text', () => {
  it.each<[Kind, string]>([
    ['code', '```\nanything at all\n```'],
    ['code', 'def area(r):\n    return 3.14 * r ** 2\n'],
    ['code', 'const a = 1;\nfunction b(c) {\n  return c;\n}\n'],
    ['code', 'SELECT a FROM b WHERE c = 1;'],
    ['code', '#!/bin/bash\nset -e\ncd /tmp && ls | wc -l\n'],
    ['code', 'package main\n\nfunc main() {\n\tx := 1\n}\n'],
    ['json', '{"a": [1, 2.0]}'],
    ['json', '[]'],
    ['html', '<html><body>Hi</body></html>'],
    ['html', '<div><p>Hello</p><p>You</p></div>'],
    ['diff', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b'],
    ['diff', '@@ -1,2 +1,2 @@\n a\n-b\n+c'],
    ['math', 'The area is $A = \\pi r^2$.'],
    ['math', 'So \\(x_1 < 2\\) holds.'],
    ['markdown', 'Look:\n```js\nlet a = 1;\n```\nDone.'],
    // What only resembles it.
    ['text', 'Adrianne has 20 + 10 = <<20+10=30>>30 beads.'],
    ['text', 'It costs $5 today and $6 tomorrow, so $5 = too little and $6 is enough.'],
    ['text', 'We sold it for $20 and bought it for $10=$5+$5.'],
    ['text', 'She spent $50/2=$<<50/2=25>>25 on food, so $400-$80=$<<400-80=320>>320 is left.'],
    ['text', '{not json}'],
    ['text', '{"twice": 1, "twice": 2}'],
    ['text', 'If the parcel is late: call us.\nWe return your call within a day.'],
    ['text', 'Please select an item from the list; then press Enter.'],
    ['text', 'For example <b>bold</b> is a tag.'],
    ['text', '- one\n+ two'],
    ['text', 'Dear Ms Ito,\n\nlet me know.\nRegards\nAnna'],
  ])('a text is %s: %j', (expected, text) => {
    expect(kind(text)).toBe(expected);
  });

  it('of a hostile kind is never taken for what it is not', () => {
    for (const text of Object.values(HOSTILE_TEXTS)) expect(KINDS).toContain(kind(text));
  });

  it('is read in no time, of any kind', () => {
    for (const part of ['<a ', '$', '```', '{', '- ', 'fn a', '[1]', '\\(', '@@ -1 +1 @@\n', '" => {']) {
      const long = part.repeat(20_000);
      expect(KINDS).toContain(kind(long));
      expect(KINDS).toContain(kind({ answer: long, sources: ['x'] }));
    }
  }, 20_000);
});

describe('a kind fixed by a project', () => {
  it.each<[Kind, Json, Kind]>([
    ['text', '# A\n\n**b** `c`', 'text'],
    ['markdown', 'plain words', 'markdown'],
    ['code', 'plain words', 'code'],
    ['html', 'plain words', 'html'],
    ['table', [{ a: { b: 1 } }], 'table'],
    ['cited', { answer: 'no mark', sources: ['x'] }, 'cited'],
    ['tree', [{ a: 1 }, { a: 2 }], 'tree'],
    // A value that cannot be read so is read by the rules.
    ['table', 'words', 'text'],
    ['chat', [{ a: 1 }, { a: 2 }], 'table'],
    ['media', 'words', 'text'],
  ])('%s for %j is %s', (fixed, value, expected) => {
    expect(classify(value, true, fixed).kind).toBe(expected);
  });

  it('QU23: is found by its pointer, an exact one before one with a star', () => {
    const kinds = { '/rows/*/body': 'html', '/rows/1/body': 'text', '/a~1b': 'code', '': 'tree' } as const;
    expect(kindAt(kinds, '$.rows[0].body')).toBe('html');
    expect(kindAt(kinds, '$.rows[1].body')).toBe('text');
    expect(kindAt(kinds, '$["a/b"]')).toBe('code');
    expect(kindAt(kinds, '$')).toBe('tree');
    expect(kindAt(kinds, '$.rows')).toBeUndefined();
    expect(kindAt({}, '$')).toBeUndefined();
  });

  it('always leaves a shape with a summary', () => {
    const any = fc.constantFrom<Kind>(...KINDS);
    fc.assert(
      fc.property(fc.jsonValue(), any, (value, fixed) => {
        expect(describeShape(classify(value as Json, false, fixed))).not.toContain('undefined');
      }),
    );
  });
});

describe('a tool call', () => {
  it.each<[string, Json]>([
    ['plain', { name: 'refund', arguments: { amount: 5 } }],
    ['with a text of JSON', { name: 'refund', arguments: '{"amount":5}' }],
    ['OpenAI', { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"amount":5}' } }],
    ['Anthropic', { type: 'tool_use', id: 't', name: 'refund', input: { amount: 5 } }],
    ['MCP', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'refund', arguments: { amount: 5 } } }],
    ['LangChain', { action: 'refund', action_input: { amount: 5 } }],
  ])('is read with everything that was sent: %s', (_, value) => {
    const [call] = toolCallsOf(value) ?? [];
    expect([call?.name, call?.args]).toEqual(['refund', { amount: 5 }]);
    for (const word of ['c1', 't', '2.0'].filter((each) => JSON.stringify(value).includes(`"${each}"`)))
      expect(JSON.stringify(call?.rest)).toContain(word);
  });

  it('is nothing that only has a name', () => {
    for (const value of [
      { name: 'Ann', input: { a: 1 } },
      { name: 'Ann', arguments: 'none' },
      { name: 5, arguments: {} },
      [{ name: 'a', arguments: {} }, 1],
      [],
    ] as Json[])
      expect(toolCallsOf(value)).toBeNull();
  });
});

describe('a unified diff', () => {
  it('contains every line, with the numbers of both sides', () => {
    const text = 'note\n--- a/x\n+++ b/x\n@@ -5,3 +5,3 @@ f\n a\n-b\n+c\n d\n\\ No newline';
    const lines = unifiedDiffLines(text);
    expect(lines.map((line) => line.text).join('\n')).toBe(text);
    expect(lines.map(({ kind: of, before, after }) => [of, before, after])).toEqual([
      ['note', null, null],
      ['head', null, null],
      ['head', null, null],
      ['hunk', null, null],
      ['same', 5, 5],
      ['removed', 6, null],
      ['added', null, 6],
      ['same', 7, 7],
      ['note', null, null],
    ]);
  });

  it('tells a removed line of dashes from the head of a file, and reads on when a hunk counts badly', () => {
    const kinds = unifiedDiffLines('@@ -1,2 +1,1 @@\n--- old\n a\n+b\n+c\n-d').map((line) => line.kind);
    expect(kinds).toEqual(['hunk', 'removed', 'same', 'added', 'added', 'removed']);
  });

  it('a unified diff retains any text', () => {
    const line = fc.constantFrom('@@ -1 +1 @@', '--- a', '+++ b', '+x', '-y', ' z', '', '\\ n', 'diff x');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const text = lines.join('\n');
        expect(
          unifiedDiffLines(text)
            .map((each) => each.text)
            .join('\n'),
        ).toBe(text);
      }),
    );
  });
});

it('finds formulas, and joined the pieces are the text', () => {
  const formulas = (text: string) => mathPieces(text).flatMap(({ tex }) => (tex === null ? [] : [tex]));
  expect(formulas('a $x^2$ b $$y$$ c \\(z\\) d \\[w\\]')).toEqual(['x^2', 'y', 'z', 'w']);
  expect(formulas('pay $5 or $10$ now, US$3 = 4$')).toEqual([]);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('$', '$$', 'x', ' ', '\\(', '\\)', '=', '\n', '5')), (parts) => {
      const text = parts.join('');
      expect(
        mathPieces(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text);
    }),
  );
});

describe('an answer with sources', () => {
  const entries: Json[] = [{ id: 'doc-1' }, { id: 'doc-2' }];

  it('links its marks by name and by position, and knows those without a source', () => {
    const marks = citedPieces('a [doc-1] b [2] c [doc-2, doc-7] [sic] [9]', entries).flatMap((piece) =>
      piece.kind === 'mark' ? [piece.entry] : [],
    );
    expect(marks).toEqual([0, 1, 1, -1, -1]);
  });

  it('an answer with sources retains any text', () => {
    const part = fc.constantFrom('[1]', '[doc-1, 2]', '[', ']', 'a', ', ', '[^2]', '[1](x)', '\n');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join('');
        expect(
          citedPieces(text, entries)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('checks a quote against its own text, or the source of that name in the input', () => {
    const input: Json = {
      documents: [
        { id: 'd1', text: 'Within  “30 days”\nof delivery.' },
        { id: 'd2', text: 'No refunds.' },
      ],
    };
    expect(checkQuote({ id: 'd1', quote: 'within "30 days" of' }, input)).toBe('found');
    expect(checkQuote({ id: 'd2', quote: 'within "30 days" of' }, input)).toBe('missing');
    expect(checkQuote({ id: 'd1', quote: 'Within … delivery' }, input)).toBe('found');
    expect(checkQuote({ quote: 'refunds', text: 'No refunds.' }, undefined)).toBe('found');
    expect(checkQuote({ id: 'd1', quote: 'x' }, undefined)).toBe('unchecked');
    expect(checkQuote({ id: 'd1' }, input)).toBe('unchecked');
    expect(checkQuote('d1', input)).toBe('unchecked');
  });
});

describe('ST2: the kinds of a project', () => {
  it('are those of one part, by pointers that start there, under the names of the table', () => {
    const fixed = {
      '/input': 'chat',
      '/input/body': 'markdown',
      '/inputs': 'code',
      '/suggestion/call': 'tool_call',
      '/suggestion/photo': 'image',
    } as const;
    expect(kindsOf(fixed, 'input')).toEqual({ '': 'chat', '/body': 'markdown' });
    expect(kindsOf(fixed, 'suggestion')).toEqual({ '/call': 'call', '/photo': 'media' });
  });

  it('are all kinds that the table can read', () => {
    const kinds = Object.fromEntries(CONTENT_KINDS.map((kind) => [`/input/${kind}`, kind]));
    expect(Object.values(kindsOf(kinds, 'input')).filter((kind) => !KINDS.includes(kind))).toEqual([]);
  });
});

describe('a value too large for its kind', () => {
  const wide = (columns: number) => Object.fromEntries(Array.from({ length: columns }, (_, at) => [`c${at}`, at]));
  const cited = (sources: number) => ({ answer: 'Yes [1].', sources: Array.from({ length: sources }, () => 'x') });

  it.each<[string, Json, Json, Kind]>([
    ['a table', [wide(200), wide(200)], [wide(201), wide(201)], 'table'],
    ['a cited answer', cited(100), cited(101), 'cited'],
  ])('%s is read by the next rule', (_, fits, exceeds, expected) => {
    expect(kind(fits)).toBe(expected);
    expect(kind(exceeds)).not.toBe(expected);
  });
});

describe('one fenced block', () => {
  it.each([
    ['```ts\nlet a = 1;\n```', { language: 'ts', text: 'let a = 1;' }],
    ['~~~~\na\n\nb\n~~~~\n', { language: '', text: 'a\n\nb' }],
    ['```\r\na\r\n```', { language: '', text: 'a\r' }],
    ['```\na\n```\n```\nb\n```', null],
    ['```\na', null],
  ])('reads one fenced block %j', (text, code) => expect(codeOf(text)).toEqual(code));

  it('is looked for once: a fence of any length costs no more than the text', () => {
    // With a pattern that may try every part of the fence, this did not end.
    expect(codeOf(`${'~'.repeat(50_000)}\n${'x'.repeat(900_000)}`)).toBeNull();
    expect(codeOf('\n'.repeat(900_000))).toBeNull();
    const styles = (blanks: number) => `a {\n  color: red;\n${' '.repeat(blanks)}\n}`;
    expect(codeOf(styles(900))).not.toBeNull();
    expect(codeOf(styles(1_100))).toBeNull();
  });
});
