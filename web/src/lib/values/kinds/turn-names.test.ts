// Names of turns: their own, those of the tools that were called, and none where nothing says so.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { classify } from '../classify.ts';
import { detailsOf, turnNames } from './turn-names.ts';

const turnsOf = (turns: unknown[]) => {
  const shape = classify(turns as Json);
  if (shape.kind !== 'chat') throw new Error(shape.kind);
  return shape.turns;
};
const calls = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: unknown, more = {}) => ({ role: 'tool', content: 'done', tool_call_id, ...more });
const called = (id: string, name: string, args = '{}') => ({
  ...{ id, type: 'function' },
  function: { name, arguments: args },
});

describe('the name of a turn', () => {
  it.each<[string, unknown[], (string | null)[]]>([
    ['its own', [{ role: 'user', content: 'hi', name: 'ana' }, result('x', { name: 'look_up' })], ['ana', 'look_up']],
    [
      'that of the call it answers',
      [calls(called('a', 'look_up'), called('b', 'refund')), result('b'), result('a')],
      [null, 'refund', 'look_up'],
    ],
    [
      'that of the latest call with this id',
      [calls(called('a', 'one')), calls(called('a', 'two')), result('a')],
      [null, null, 'two'],
    ],
    ['of a call whose arguments cannot be read', [calls(called('a', 'look_up', '')), result('a')], [null, 'look_up']],
    ['of a call in another form', [calls({ id: 'a', name: 'look_up', args: {} }), result('a')], [null, 'look_up']],
    ['not of a later call', [result('a'), calls(called('a', 'look_up'))], [null, null]],
    [
      'not of an unknown call',
      [calls(called('a', 'look_up')), result('b'), result(1), result('')],
      [null, null, null, null],
    ],
    ['not of what is no call', [calls(7, null, { id: 'a' }, { id: 'a', function: 'x' }), result('a')], [null, null]],
    [
      'not of a property of JavaScript',
      [calls(called('a', 'x')), result('__proto__'), result('constructor')],
      [null, null, null],
    ],
    ['no name that is no text', [{ role: 'user', content: 'hi', name: { a: 1 } }], [null]],
  ])('is %s', (_, turns, names) => {
    expect(turnNames(turnsOf(turns))).toEqual(names);
  });

  it('is all that the details leave out', () => {
    const details = turnsOf([
      { role: 'user', content: 'hi', name: 'ana' },
      result('a', { name: 'look_up' }),
      { role: 'user', content: 'hi', name: '' },
      { role: 'user', content: 'hi' },
    ]).map(detailsOf);
    expect(details).toEqual([null, { tool_call_id: 'a' }, { name: '' }, null]);
  });
});
