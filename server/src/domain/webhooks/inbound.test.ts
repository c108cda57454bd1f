// Which signature scheme the headers of an inbound message select, and what makes two messages the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSingle, deduplicationKeys, signingOf, sourceContext, type Signing } from './inbound.ts';

const TRIO = { 'webhook-id': 'msg_1', 'webhook-timestamp': '1795000000', 'webhook-signature': 'v1,c2ln' };
const HEX = { 'x-webhook-signature': 'ab'.repeat(32) };
const STANDARD = {
  scheme: 'standard',
  id: 'msg_1',
  timestamp: '1795000000',
  signature: 'v1,c2ln',
} as const satisfies Signing;
const PLAIN = { scheme: 'plain', signature: 'ab'.repeat(32) } as const satisfies Signing;

const without = (name: keyof typeof TRIO, headers: Record<string, string> = TRIO) =>
  Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name));

describe('K6: the signature scheme', () => {
  it.each<[string, Record<string, string>, Signing | null]>([
    ['the three standard headers', TRIO, STANDARD],
    ['the hex signature', HEX, PLAIN],
    ['both: the standard headers', { ...TRIO, ...HEX }, STANDARD],
    [
      'an empty standard signature with a hex one: the standard headers',
      { ...TRIO, ...HEX, 'webhook-signature': '' },
      { ...STANDARD, signature: '' },
    ],
    ['a hex signature with an unsigned id and time', without('webhook-signature', { ...TRIO, ...HEX }), PLAIN],
    ['nothing', {}, null],
    ['an id and a time without a signature', without('webhook-signature'), null],
    ['the standard headers without the id', without('webhook-id'), null],
    ['the standard headers without the id, and a hex signature', without('webhook-id', { ...TRIO, ...HEX }), null],
    ['the standard headers without the time', without('webhook-timestamp'), null],
  ])('%s', (_, headers, expected) => {
    expect(signingOf(headers)).toEqual(expected);
  });
});

describe('K5: a header that arrived twice, as Node joins it', () => {
  it.each<[{ id?: string; signature?: string }, boolean]>([
    [{}, true],
    [{ signature: 'v1,b25l v1,dHdv' }, true],
    [{ signature: 'v1a,b25l nonsense v1,dHdv' }, true],
    [{ signature: 'v1,b25l, v1,dHdv' }, false],
    [{ signature: 'v1,b25l,v1,dHdv' }, false],
    [{ signature: 'v1,b25l,' }, false],
    [{ signature: Array.from({ length: 10 }, () => 'v1,b25l').join(' ') }, true],
    [{ signature: Array.from({ length: 11 }, () => 'v1,b25l').join(' ') }, false],
    [{ id: 'evt_0197f1a0-0000.v1:x@y=/z+~' }, true],
    [{ id: 'x'.repeat(255) }, true],
    [{ id: 'x'.repeat(256) }, false],
    [{ id: '' }, false],
    [{ id: 'msg_1, msg_1' }, false],
    [{ id: 'msg_1,msg_1' }, false],
    [{ id: 'msg 1' }, false],
    [{ id: 'é' }, false],
    [{ id: 'msg.1.{' }, false],
    [{ id: 'msg"' }, false],
  ])('of the standard headers with %j: accepted %s', (change, taken) => {
    expect(isSingle({ ...STANDARD, ...change })).toBe(taken);
  });

  it('rejects a doubled hex signature', () => {
    expect(isSingle(PLAIN)).toBe(true);
    expect(isSingle({ ...PLAIN, signature: `${PLAIN.signature}, ${PLAIN.signature}` })).toBe(false);
  });

  it('by property: no body that is an object can be confused with the end of another id and timestamp', () => {
    // The signed text is `id.timestamp.body`: with a second reading one message could be replayed as another.
    const part = fc.stringMatching(/^[\w.]{1,6}$/);
    const body = fc.json({ maxDepth: 1 }).map((text) => `{".5.{":${text}}`);
    fc.assert(
      fc.property(part, fc.integer({ min: 1, max: 99 }), body, (id, time, text) => {
        const signed = `${id}.${time}.${text}`;
        for (const match of signed.matchAll(/\.(?=(\d+)\.)/g)) {
          const other = signed.slice(0, match.index);
          const rest = signed.slice(match.index + 2 + (match[1] ?? '').length);
          const fits = isSingle({ ...STANDARD, id: other }) && rest.startsWith('{');
          if (fits) expect([other, rest]).toEqual([id, text]);
        }
      }),
    );
  });
});

describe('IN1: what makes two messages the same', () => {
  it('is the id where it is signed; the body is an extra key', () => {
    expect(deduplicationKeys(STANDARD, 'd1')).toEqual({ key: 'id:msg_1', extraKeys: ['sha256:d1'] });
  });

  it('is the body where nothing else is signed', () => {
    expect(deduplicationKeys(PLAIN, 'd1')).toEqual({ key: 'sha256:d1', extraKeys: [] });
  });
});

describe('an encrypted secret', () => {
  it('is bound to its source and its project', () => {
    expect(sourceContext({ id: 's', projectId: 'p' })).toBe('inbound_source|p|s|secret');
  });
});
