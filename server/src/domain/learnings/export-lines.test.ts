// LX: every line of an export is one JSON value, of the shape its readers expect, whatever was written in it.
import { exportFilter, EXPORT_FORMATS } from '@countersign/shared/api/exports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashToUnit } from '../../crypto/hash-to-unit.ts';
import { type Exported, isOfSplit, lineOf, splitText } from './export-lines.ts';

const edit: Exported = {
  id: '0197f1a0-0000-7000-8000-000000000001',
  itemId: '0197f1a0-0000-7000-8000-000000000002',
  action: 'edit',
  input: '{"question": "2 + 2?",\n "nonce": 12345678901234567890}',
  suggestion: '"5"',
  output: '"4"',
  diff: [{ op: 'replace', path: '', value: '4' }],
  reason: 'Wrong sum',
  note: null,
  confidence: 0.75,
  riskFlags: ['high_value'],
  model: '6b',
  source: null,
  reviewer: { id: '0197f1a0-0000-7000-8000-000000000003', address: 'So1' },
  guidelinesVersion: 3,
  settingsVersion: 3,
  decidedAt: new Date('2026-11-22T12:00:00.000Z'),
};
const reject: Exported = { ...edit, action: 'reject', output: null, diff: null };
const question = '{"question": "2 + 2?",  "nonce": 12345678901234567890}';

describe('LX1: one learning in each format', () => {
  it('raw: everything, numbers and keys as they were submitted', () => {
    const line = lineOf('raw', edit);
    expect(line).toContain(
      `"input":${question},"suggestion":"5","output":"4","diff":[{"op":"replace","path":"","value":"4"}]`,
    );
    expect(JSON.parse(line ?? '')).toMatchObject({
      ...{ action: 'edit', reason: 'Wrong sum', note: null, confidence: 0.75, risk_flags: ['high_value'], model: '6b' },
      ...{ source: null, reviewer: edit.reviewer, settings_version: 3, decided_at: '2026-11-22T12:00:00.000Z' },
    });
    expect(JSON.parse(lineOf('raw', reject) ?? '')).toMatchObject({ action: 'reject', output: null, diff: null });
  });

  it('chat: what came in, and the correction', () => {
    expect(JSON.parse(lineOf('chat', edit) ?? '')).toEqual({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: '4' },
      ],
    });
  });

  it('preference: the correction is preferred to the suggestion', () => {
    expect(JSON.parse(lineOf('preference', edit) ?? '')).toEqual({
      input: { messages: [{ role: 'user', content: question }], tools: [], parallel_tool_calls: true },
      preferred_output: [{ role: 'assistant', content: '4' }],
      non_preferred_output: [{ role: 'assistant', content: '5' }],
    });
  });

  it('eval: what is expected, what was refused, and what to tell it by', () => {
    const tags = ['Wrong sum', 'high_value'];
    expect(JSON.parse(lineOf('eval', edit) ?? '')).toMatchObject({ expected: '4', rejected: '5', tags });
    const refused = JSON.parse(lineOf('eval', reject) ?? '') as object;
    expect(refused).toMatchObject({ action: 'reject', rejected: '5', tags });
    expect(refused).not.toHaveProperty('expected');
    expect(JSON.parse(lineOf('eval', { ...edit, output: 'null' }) ?? '')).toMatchObject({ expected: null });
  });

  it('two sides that read the same are no pair', () => {
    expect(lineOf('preference', { ...edit, suggestion: '"5"', output: '5' })).toBeNull();
  });

  it('a rejection has no correction, so it is no example to learn from', () => {
    expect([lineOf('chat', reject), lineOf('preference', reject)]).toEqual([null, null]);
  });
});

/** After OpenAI's published formats for fine-tuning by example and by preference: nothing missing, nothing besides. */
const said = (role: 'user' | 'assistant') => z.strictObject({ role: z.literal(role), content: z.string() });
const PUBLISHED = {
  chat: z.strictObject({ messages: z.tuple([said('user'), said('assistant')]) }),
  preference: z.strictObject({
    input: z.strictObject({
      messages: z.tuple([said('user')]),
      tools: z.array(z.never()),
      parallel_tool_calls: z.boolean(),
    }),
    preferred_output: z.tuple([said('assistant')]),
    non_preferred_output: z.tuple([said('assistant')]),
  }),
};

describe('LX2: whatever was written', () => {
  const HOSTILE = [
    '\u2028',
    '\u2029',
    '\u0085',
    '\n',
    '\r\n',
    '\v\f\x1c',
    '=HYPERLINK("x")',
    '</script>',
    '\u0000',
    '😀',
    '"\\',
  ];
  const words = fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string()), { maxLength: 4 })
    .map((all) => all.join(''));
  const value = fc.oneof(words, fc.jsonValue(), fc.dictionary(words, words));
  const json = fc.tuple(value, fc.constantFrom(0, 2)).map(([any, indent]) => JSON.stringify(any, null, indent));
  const any = fc
    .record({ input: json, suggestion: json, output: json, reason: words, note: words, riskFlags: fc.array(words) })
    .map((told): Exported => ({ ...edit, ...told }));

  it('is one line for every reader, parses, and is what was written', () => {
    fc.assert(
      fc.property(any, (learning) => {
        for (const format of EXPORT_FORMATS) {
          const line = lineOf(format, learning) ?? 'null';
          // What Python's `splitlines` takes for an end, beside the plain ones.
          expect(line).not.toMatch(/[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/);
          expect(() => JSON.parse(line) as unknown).not.toThrow();
        }
        const { input, suggestion, output, reason, note, riskFlags } = learning;
        const told = { reason, note, risk_flags: riskFlags };
        const values = { input, suggestion, output: output ?? '' };
        const parsed = Object.entries(values).map(([key, text]): [string, unknown] => [key, JSON.parse(text)]);
        expect(JSON.parse(lineOf('raw', learning) ?? '')).toMatchObject({ ...Object.fromEntries(parsed), ...told });
      }),
    );
  });

  it.each(['chat', 'preference'] as const)('%s is of the published format', (format) => {
    fc.assert(
      fc.property(any, (learning) => {
        const line = lineOf(format, learning);
        if (line !== null) expect(PUBLISHED[format].safeParse(JSON.parse(line)).error).toBeUndefined();
      }),
    );
  });
});

describe('LX3: a split by the input', () => {
  const side = (input: string, split: 'train' | 'test', test_share = 0.3) =>
    isOfSplit(exportFilter.parse({ split, test_share }), hashToUnit(splitText(input)));

  it('takes a text for the value it is written like: the two read the same in a message', () => {
    for (const [text, like] of [
      ['"42"', '42'],
      [String.raw`"{\"b\":1, \"a\":[]}"`, '{"a":[],"b":1}'],
      ['"null"', 'null'],
    ] as const)
      expect(splitText(text)).toBe(splitText(like));
    // A text in quotes reads like no value: values that are texts stand without.
    expect(splitText(String.raw`"\"42\""`)).not.toBe(splitText('"42"'));
    expect(splitText('"What is 4?"')).toBe('"What is 4?"');
  });

  it('has every input on one side, and on the same one however it is spelt', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const spelt = JSON.stringify(input);
        const other = JSON.stringify(Object.fromEntries(Object.entries(input).reverse()), null, 2);
        expect(side(spelt, 'train')).toBe(!side(spelt, 'test'));
        expect(side(other, 'test')).toBe(side(spelt, 'test'));
      }),
    );
  });

  it('has about the share that was asked for in the test, and all or none at the ends', () => {
    const inputs = Array.from({ length: 2000 }, (_, n) => `{"question":${n}}`);
    const share = (of: number) => inputs.filter((input) => side(input, 'test', of)).length / inputs.length;
    expect(share(0.3)).toBeGreaterThan(0.26);
    expect(share(0.3)).toBeLessThan(0.34);
    expect([share(0), share(1)]).toEqual([0, 1]);
  });

  it('nobody who asks for no side is left out', () => {
    expect(isOfSplit(exportFilter.parse({}), 0.5)).toBe(true);
  });
});
