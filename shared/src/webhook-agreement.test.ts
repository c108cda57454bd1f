// Our verification of Standard Webhooks and that of their own package accept and refuse the same messages.
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { HEADERS, signWebhook, verifyStandard } from './webhook.ts';

const SECRETS = ['one', 'two'].map((name) => `whsec_${btoa(name.padEnd(32, '.'))}`) as [string, string];
const BODIES = ['{}', '{"event":"item.decided","output":"Größe: 10 €"}', '', ' [1.50]\n', '"\u0000"'];

type Sent = Record<string, string>;

/** What happens to a message on its way; the first four leave it genuine, and the eighth one with a second signature. */
const FATES: ((headers: Sent) => Sent)[] = [
  (headers) => headers,
  (headers) => ({ ...headers, 'x-other': '1' }),
  (headers) => ({ ...headers, [HEADERS.standard]: `v1a,AAAA ${headers[HEADERS.standard]}` }),
  (headers) => ({ ...headers, [HEADERS.standard]: `v1,${btoa('no'.repeat(16))} ${headers[HEADERS.standard]}` }),
  (headers) => ({ ...headers, [HEADERS.id]: 'evt_other' }),
  (headers) => ({ ...headers, [HEADERS.timestamp]: String(Number(headers[HEADERS.timestamp]) + 1) }),
  (headers) => ({ ...headers, [HEADERS.timestamp]: 'soon' }),
  (headers) => ({ ...headers, [HEADERS.standard]: `v2,${headers[HEADERS.standard]?.slice(3)}` }),
  (headers) => ({ ...headers, [HEADERS.standard]: headers[HEADERS.standard]?.slice(0, -6) ?? '' }),
  (headers) => without(headers, HEADERS.standard),
];
const OFFSETS = [0, 299, -299, 302, -302];

function without(headers: Sent, name: string): Sent {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

const now = 1_800_000_000;
// Their package reads the clock.
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 }));
afterAll(() => void vi.useRealTimers());

async function messages() {
  const made = [];
  for (const [at, body] of BODIES.entries())
    for (const offset of OFFSETS)
      for (const fate of FATES) {
        const secrets: [string, ...string[]] = at % 2 === 0 ? [SECRETS[0]] : [SECRETS[1], SECRETS[0]];
        const message = { id: `evt_${at}`, timestamp: now + offset, attempt: 1, body };
        made.push({ body, headers: fate(await signWebhook(message, secrets)) });
      }
  return made;
}

function theirs(body: string, headers: Sent): boolean {
  try {
    new Webhook(SECRETS[0]).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

it('agrees with the package standardwebhooks on 250 messages, genuine and not', async () => {
  const sent = await messages();
  expect(sent).toHaveLength(250);
  const verdicts = { good: 0, bad: 0 };
  for (const { body, headers } of sent) {
    const ours = await verifyStandard(body, headers, { secret: SECRETS[0], now });
    expect(ours, JSON.stringify({ body, headers })).toBe(theirs(body, headers));
    verdicts[ours ? 'good' : 'bad'] += 1;
  }
  expect(verdicts).toEqual({ good: 66, bad: 184 });
});
