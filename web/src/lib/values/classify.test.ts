// Every JSON value has a shape in which it reads well.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { classify, describeShape, isShort } from './classify.ts';

const kind = (value: Json) => classify(value).kind;

describe('classify', () => {
  it('reads single values by their type', () => {
    expect(classify(null)).toMatchObject({ kind: 'scalar', text: 'null' });
    expect(classify(false)).toMatchObject({ kind: 'scalar', text: 'false', type: 'true or false' });
    expect(classify(9007199254740991)).toMatchObject({ kind: 'scalar', text: '9007199254740991' });
    expect(classify('')).toEqual({ kind: 'text', text: '' });
  });

  it('reads a time as a moment only where it is on the day that it names', () => {
    const moments = ['2026-02-28T10:00:00Z', '2024-02-29T10:00:00+0200', '2026-01-01T23:59:59.5-03:30'];
    expect(moments.map(kind)).toEqual(moments.map(() => 'moment'));
    const texts = [
      '2026-02-30T10:00:00Z',
      '2026-02-29T10:00:00+0200',
      '2026-04-31T10:00Z',
      '2026-01-01T24:00:00Z',
      '0000-01-01T10:00:00Z',
      '2026-01-01T10:00:00+25:00',
    ];
    expect(texts.map(kind)).toEqual(texts.map(() => 'text'));
  });

  it('reads an object with one member as that member', () => {
    expect(classify({ question: 'Why?' })).toEqual({ kind: 'field', name: 'question', value: 'Why?' });
    expect(kind({ messages: [] })).toBe('field');
  });

  it('reads a small object as fields; inside another value only a flat one, anything deeper is a tree', () => {
    expect(kind({ a: 1, b: 'two', c: null })).toBe('fields');
    expect(kind({ a: 1, b: [] })).toBe('fields');
    expect(classify({ a: 1, b: [] }, true).kind).toBe('tree');
    expect(classify({ a: 1, b: 2 }, true).kind).toBe('fields');
    expect(kind({})).toBe('tree');
    expect(kind(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, at])))).toBe('tree');
  });

  it('reads role and content as a conversation, and retains the other members of a turn', () => {
    const shape = classify([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [{ id: 1 }] },
    ]);
    expect(shape).toMatchObject({
      kind: 'chat',
      turns: [
        { rest: null, calls: null },
        { rest: null, calls: [{ id: 1 }] },
      ],
    });
    expect(
      kind([
        { role: 'user', content: 'hi' },
        { role: 3, content: 'x' },
      ]),
    ).toBe('table');
  });

  it('reads uniform objects as a table, different or nested ones as a tree', () => {
    expect(
      classify([
        { a: 1, b: 2 },
        { a: 3, c: null },
      ]),
    ).toMatchObject({ kind: 'table', columns: ['a', 'b', 'c'] });
    expect(kind([{ a: 1 }])).toBe('tree');
    expect(kind([{ a: 1 }, { b: 1 }, { c: 1 }])).toBe('tree');
    expect(kind([{ a: { b: 1 } }, { a: 2 }])).toBe('tree');
    expect(kind([1, [2]])).toBe('tree');
    expect(kind([])).toBe('tree');
  });

  it('reads a list of plain values as a list', () => {
    expect(classify(['a', 1, null])).toEqual({ kind: 'list', items: ['a', 1, null] });
    expect(kind(Array.from({ length: 5000 }, () => 0))).toBe('list');
    expect([isShort('parcel'), isShort(false), isShort('two\nlines'), isShort('x'.repeat(61)), isShort([])]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('classifies objects with hostile keys', () => {
    const value = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}') as Json;
    expect(classify(value)).toMatchObject({
      kind: 'fields',
      fields: [
        ['__proto__', { polluted: true }],
        ['constructor', 1],
      ],
    });
    const rows = JSON.parse('[{"__proto__": 1, "a": 2}, {"__proto__": 3, "a": 4}]') as Json;
    expect(classify(rows)).toMatchObject({ kind: 'table', columns: ['__proto__', 'a'] });
    expect('polluted' in {}).toBe(false);
  });

  it('has a shape and a summary for every value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // fast-check's JSON type is the same, written another way.
        expect(describeShape(classify(value as Json))).not.toContain('undefined');
      }),
    );
  });
});
