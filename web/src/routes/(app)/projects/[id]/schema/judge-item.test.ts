// Judges suggestions and outputs by a schema: each value once, of a tool call its arguments.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { faultSentence } from '#lib/form/answer-faults.ts';
import { parseJson } from '#lib/values/json/lossless.ts';
import { judgeItem } from './judge-item.ts';

const SCHEMA: Json = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } };

const item = { preview: '', title: null, status: 'approved', created_at: '2026-01-01T00:00:00.000Z' } as const;
const answers = (suggestion: string, output?: string, kind: 'answer' | 'tool_call' = 'answer') => ({
  ...item,
  kind,
  suggestion: parseJson(suggestion),
  ...(output !== undefined && { output: parseJson(output) }),
});
/** Which parts fail, and at which pointers. */
const judged = (of: ReturnType<typeof answers>) => {
  const { parts, failing } = judgeItem(SCHEMA, of);
  return { parts, failing: failing.map(({ parts: at, faults }) => [at, faults.map(({ pointer }) => pointer)]) };
};

describe('an item judged by a schema', () => {
  it.each([
    ['both fit', answers('{"amount":5}', '{"amount":7}'), ['suggestion', 'output'], []],
    [
      'only the suggestion breaks it',
      answers('{"amount":"5"}', '{"amount":5}'),
      ['suggestion', 'output'],
      [[['suggestion'], ['/amount']]],
    ],
    ['only the output breaks it', answers('{"amount":5}', '{}'), ['suggestion', 'output'], [[['output'], ['/amount']]]],
    [
      'the same value breaks it as both',
      answers('{"amount": "5"}', '{"amount":"5"}'),
      ['suggestion', 'output'],
      [[['suggestion', 'output'], ['/amount']]],
    ],
    [
      'different values break it',
      answers('{}', '"x"'),
      ['suggestion', 'output'],
      [
        [['suggestion'], ['/amount']],
        [['output'], ['']],
      ],
    ],
    ['no decision is final', answers('"text"'), ['suggestion'], [[['suggestion'], ['']]]],
    ['a person wrote the answer', answers('null', '{"amount":5.0}'), ['output'], []],
    ['nothing is there yet', answers('null'), [], []],
    [
      'the arguments of a tool call fit',
      answers('{"name":"refund","arguments":{"amount":5}}', undefined, 'tool_call'),
      ['suggestion'],
      [],
    ],
    [
      'the arguments of a tool call break it',
      answers('{"name":"refund","arguments":{"amount":"5"}}', undefined, 'tool_call'),
      ['suggestion'],
      [[['suggestion'], ['/amount']]],
    ],
  ])('%s', (_, of, parts, failing) => expect(judged(of)).toEqual({ parts, failing }));
});

it('names the places of faults as they are in the judged part', () => {
  const schema: Json = { additionalProperties: { items: { type: 'integer' } } };
  const sentences = (of: ReturnType<typeof answers>) =>
    judgeItem(schema, of).failing.flatMap(({ faults, value }) => faults.map((fault) => faultSentence(fault, value)));
  expect(sentences(answers('{"2024":["x"]}'))).toEqual([expect.stringMatching(/^2024 › 1 /)]);
  const call = '{"name":"refund","arguments":{"2024":["x"]}}';
  expect(sentences(answers(call, undefined, 'tool_call'))).toEqual([expect.stringMatching(/^2024 › 1 /)]);
});
