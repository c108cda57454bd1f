// The changes of an edit as a JSON Patch (RFC 6902).
import fc from 'fast-check';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { diffOf } from './json-diff.ts';

describe('the patch of an edit', () => {
  it.each<[string, string, Operation[]]>([
    ['{"a":1,"b":2}', '{"b": 2, "a": 1.0}', []],
    ['{"a":1}', '{"a":2}', [{ op: 'replace', path: '/a', value: 2 }]],
    ['{"a/b":1}', '{"a/b":null}', [{ op: 'replace', path: '/a~1b', value: null }]],
    ['{"a":{"m~n":1}}', '{"a":{}}', [{ op: 'remove', path: '/a/m~0n' }]],
    ['[1,2]', '[1,2,3]', [{ op: 'add', path: '/2', value: 3 }]],
    ['{"a":[]}', '{"a":{}}', [{ op: 'replace', path: '/a', value: {} }]],
    ['"5"', '"4"', [{ op: 'replace', path: '', value: '4' }]],
    ['[1]', '{"0":1}', [{ op: 'replace', path: '', value: { 0: 1 } }]],
    ['null', '{}', [{ op: 'replace', path: '', value: {} }]],
    ['5', '5.0', []],
  ])('turns %s into %s', (before, after, patch) => {
    expect(diffOf(before, after)).toEqual(patch);
  });

  it('turns one value into the other, for any values', () => {
    // The library refuses patches with that key, which it cannot distinguish from an attack.
    const text = fc.json().filter((json) => !json.includes('__proto__'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patched = jsonPatch.applyPatch(
          { root: JSON.parse(before) as unknown },
          rooted(diffOf(before, after)),
        ).newDocument;
        expect(JSON.stringify(sorted(patched.root))).toBe(JSON.stringify(sorted(JSON.parse(after) as unknown)));
      }),
    );
  });

  it('compares ten thousand array members one by one, in linear time', () => {
    const many = (from: number) => JSON.stringify(Array.from({ length: 10_000 }, (_, at) => at + from));
    expect(diffOf(many(0), many(1))).toHaveLength(10_000);
  });
});

/** The library does not replace a root in place, so each value gets a root around it. */
const rooted = (patch: Operation[]): Operation[] => patch.map((each) => ({ ...each, path: `/root${each.path}` }));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
