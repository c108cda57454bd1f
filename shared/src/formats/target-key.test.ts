// The identity of a notification target (NO1).
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NOTIFICATION_KINDS } from '../enums.ts';
import { targetKey } from './target-key.ts';

const target = fc.record({
  kind: fc.constantFrom(...NOTIFICATION_KINDS),
  url: fc.oneof(fc.constantFrom('', ' ', 'https://a.example', 'https://a.example/x'), fc.string()),
});

it('has the same key for the same kind and URL, and another one for every other target', () => {
  fc.assert(
    fc.property(target, target, (one, other) => {
      expect(targetKey({ ...one })).toBe(targetKey(one));
      expect(targetKey(one) === targetKey(other)).toBe(one.kind === other.kind && one.url === other.url);
    }),
  );
  expect(targetKey({ kind: 'slack', url: 'https://a.example/x' })).not.toBe(
    targetKey({ kind: 'slack', url: 'https://a.example/y' }),
  );
});
