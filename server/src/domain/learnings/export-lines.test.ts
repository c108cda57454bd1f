// LX: every line of an export is one JSON value in the expected format, for any text.
import { exportFilter } from '@countersign/shared/schemas/exports';
import { EXPORT_FORMATS } from '@countersign/shared/enums';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashToUnit } from '../../crypto/hash-to-unit.ts';
import { type Exported, isOfSplit, lineOf, splitText } from './export-lines.ts';

const edit: Exported = {
  id: '0197f1a0-0000-7000-8000-000000000001',
  itemId: '0197f1a0-0000-7000-8000-000000000002',
  action: 'edit',
  title: null,
  kind: 'answer',
  hasSuggestion: true,
  argumentsSchema: null,
  response: null,
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
const call: Exported = {
  ...edit,
  kind: 'tool_call',
  title: 'Refund A-1',
  argumentsSchema: '{"type":"object"}',
  suggestion: '{"name":"refund","arguments":{"amount":12.50}}',
  output: '{ "arguments": {"amount": 3.10}, "name": "refund" }',
};
const respond: Exported = { ...reject, action: 'respond', reason: '', response: 'Ask first.' };
const written: Exported = { ...edit, hasSuggestion: false, suggestion: 'null', diff: null, reason: '' };
const question = '{"question": "2 + 2?",  "nonce": 12345678901234567890}';

describe('LX1: one learning in each format', () => {
  it('raw: contains every field, with numbers and keys as submitted', () => {
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

  it('chat: contains the input and the correction', () => {
    expect(JSON.parse(lineOf('chat', edit) ?? '')).toEqual({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: '4' },
      ],
    });
  });

  it('chat, preference: a tool call is a tool_calls message of the assistant, beside the tool', () => {
    const said = (text: string) => [
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'call_0197f1a0000070008000000000000001',
            type: 'function',
            function: { name: 'refund', arguments: text },
          },
        ],
      },
    ];
    const user = { role: 'user', content: question };
    const tools = [{ type: 'function', function: { name: 'refund', parameters: { type: 'object' } } }];
    const corrected = said('{"amount":3.10}');
    expect(JSON.parse(lineOf('chat', call) ?? '')).toEqual({ messages: [user, ...corrected], tools });
    expect(JSON.parse(lineOf('preference', call) ?? '')).toEqual({
      input: { messages: [user], tools, parallel_tool_calls: true },
      preferred_output: corrected,
      non_preferred_output: said('{"amount":12.50}'),
    });
    const untyped = { ...call, argumentsSchema: null };
    expect(JSON.parse(lineOf('chat', untyped) ?? '')).toMatchObject({ tools: [{ function: { name: 'refund' } }] });
  });

  it('a title and a kind are in raw and eval where the submission had them', () => {
    expect(JSON.parse(lineOf('raw', call) ?? '')).toMatchObject({ title: 'Refund A-1', kind: 'tool_call' });
    expect(JSON.parse(lineOf('eval', call) ?? '')).toMatchObject({ title: 'Refund A-1', kind: 'tool_call' });
    for (const format of ['raw', 'eval'] as const) expect(lineOf(format, edit)).not.toMatch(/"(title|kind|response)":/);
  });

  it('a response gives its words in raw and eval, and no line that needs a correction', () => {
    expect(JSON.parse(lineOf('raw', respond) ?? '')).toMatchObject({ reason: null, response: 'Ask first.' });
    expect(JSON.parse(lineOf('eval', respond) ?? '')).toEqual({
      ...{ id: edit.id, action: 'respond', input: JSON.parse(question) as object, rejected: '5' },
      ...{ response: 'Ask first.', tags: ['high_value'] },
    });
    expect([lineOf('chat', respond), lineOf('preference', respond)]).toEqual([null, null]);
  });

  it('TS5: an answer that a person wrote is chosen, and nothing is rejected for it', () => {
    expect(JSON.parse(lineOf('chat', written) ?? '')).toMatchObject({ messages: [{}, { content: '4' }] });
    expect(lineOf('preference', written)).toBeNull();
    const line = JSON.parse(lineOf('eval', written) ?? '') as object;
    expect(line).toMatchObject({ expected: '4', tags: ['high_value'] });
    expect(line).not.toHaveProperty('rejected');
  });

  it('preference: prefers the correction to the suggestion', () => {
    expect(JSON.parse(lineOf('preference', edit) ?? '')).toEqual({
      input: { messages: [{ role: 'user', content: question }], tools: [], parallel_tool_calls: true },
      preferred_output: [{ role: 'assistant', content: '4' }],
      non_preferred_output: [{ role: 'assistant', content: '5' }],
    });
  });

  it('eval: contains the expected output, the rejected one, and tags', () => {
    const tags = ['Wrong sum', 'high_value'];
    expect(JSON.parse(lineOf('eval', edit) ?? '')).toMatchObject({ expected: '4', rejected: '5', tags });
    const refused = JSON.parse(lineOf('eval', reject) ?? '') as object;
    expect(refused).toMatchObject({ action: 'reject', rejected: '5', tags });
    expect(refused).not.toHaveProperty('expected');
    expect(JSON.parse(lineOf('eval', { ...edit, output: 'null' }) ?? '')).toMatchObject({ expected: null });
  });

  it('a pair of equal texts gives no line', () => {
    expect(lineOf('preference', { ...edit, suggestion: '"5"', output: '5' })).toBeNull();
  });

  it('a rejection has no correction, so it gives no training example', () => {
    expect([lineOf('chat', reject), lineOf('preference', reject)]).toEqual([null, null]);
  });
});

/** The schemas of OpenAI's published formats for supervised and preference fine-tuning: no member is missing or added. */
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

describe('LX2: any content', () => {
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
    .record({
      input: json,
      suggestion: json,
      output: json,
      reason: words.filter((text) => text !== ''),
      note: words,
      riskFlags: fc.array(words),
    })
    .map((fields): Exported => ({ ...edit, ...fields }));

  it('is one line for every reader, is valid JSON, and is what was submitted', () => {
    fc.assert(
      fc.property(any, (learning) => {
        for (const format of EXPORT_FORMATS) {
          const line = lineOf(format, learning) ?? 'null';
          // The line ends of Python's `splitlines`, beside the ordinary ones.
          expect(line).not.toMatch(/[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/);
          expect(() => JSON.parse(line) as unknown).not.toThrow();
        }
        const { input, suggestion, output, reason, note, riskFlags } = learning;
        const fields = { reason, note, risk_flags: riskFlags };
        const values = { input, suggestion, output: output ?? '' };
        const parsed = Object.entries(values).map(([key, text]): [string, unknown] => [key, JSON.parse(text)]);
        expect(JSON.parse(lineOf('raw', learning) ?? '')).toMatchObject({ ...Object.fromEntries(parsed), ...fields });
      }),
    );
  });

  it.each(['chat', 'preference'] as const)('%s matches the published format', (format) => {
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

  it('treats a text like the value that it spells: both are equal in a message', () => {
    for (const [text, like] of [
      ['"42"', '42'],
      [String.raw`"{\"b\":1, \"a\":[]}"`, '{"a":[],"b":1}'],
      ['"null"', 'null'],
    ] as const)
      expect(splitText(text)).toBe(splitText(like));
    // A text in quotes is not the spelling of another value: string values are compared without quotes.
    expect(splitText(String.raw`"\"42\""`)).not.toBe(splitText('"42"'));
    expect(splitText('"What is 4?"')).toBe('"What is 4?"');
  });

  it('leaves a text alone that spells a value of any depth', () => {
    const text = JSON.stringify('['.repeat(100_000) + ']'.repeat(100_000));
    expect(splitText(text)).toBe(text);
    const nested = '['.repeat(900) + ']'.repeat(900);
    expect(splitText(JSON.stringify(nested))).toBe(nested);
  });

  it('has every input on one side, the same one however it is spelled', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const spelt = JSON.stringify(input);
        const other = JSON.stringify(Object.fromEntries(Object.entries(input).reverse()), null, 2);
        expect(side(spelt, 'train')).toBe(!side(spelt, 'test'));
        expect(side(other, 'test')).toBe(side(spelt, 'test'));
      }),
    );
  });

  it('has about the requested share in the test side, and all or none at the ends', () => {
    const inputs = Array.from({ length: 2000 }, (_, n) => `{"question":${n}}`);
    const share = (of: number) => inputs.filter((input) => side(input, 'test', of)).length / inputs.length;
    expect(share(0.3)).toBeGreaterThan(0.26);
    expect(share(0.3)).toBeLessThan(0.34);
    expect([share(0), share(1)]).toEqual([0, 1]);
  });

  it('excludes nothing when no side is requested', () => {
    expect(isOfSplit(exportFilter.parse({}), 0.5)).toBe(true);
  });
});
