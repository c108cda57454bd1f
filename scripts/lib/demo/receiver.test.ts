// Tests the demo's webhook consumer and the lines it prints.
import { afterEach, describe, expect, it } from 'vitest';
import type { WebhookEvent } from '../../../shared/src/schemas/parts/webhook-events.ts';
import { signWebhook } from '../../../shared/src/webhook.ts';
import { describe as describeEvent, startReceiver, type Receiver } from './receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const WRONG = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const NOW = new Date('2026-03-04T05:06:07Z');
const SECONDS = NOW.getTime() / 1000;

const running: Receiver[] = [];
afterEach(() => Promise.all(running.splice(0).map((receiver) => receiver.stop())));

async function receive(secret?: string): Promise<{ receiver: Receiver; printed: string[] }> {
  const printed: string[] = [];
  const receiver = await startReceiver({ port: 0, now: () => NOW, print: (line) => printed.push(line) });
  if (secret !== undefined) receiver.useSecret(secret);
  running.push(receiver);
  return { receiver, printed };
}

const decision = {
  id: '0199c0de-0000-7000-8000-0000000000d1',
  status: 'approved',
  action: 'edit',
  output: 'Hi Ines, it arrives tomorrow.',
  edited: true,
  reason: 'Wrong fact',
  note: null,
  reviewer_id: '0199c0de-0000-7000-8000-00000000ee11',
  decided_at: '2026-03-04T05:06:06.000Z',
} as const;
const event = {
  event: 'item.decided',
  item_id: '0199c0de-0000-7000-8000-00000000aa11',
  project_id: '0199c0de-0000-7000-8000-0000000000b1',
  status: 'approved',
  decision,
  reviewer_id: decision.reviewer_id,
  decided_at: decision.decided_at,
} as const;
const BODY = JSON.stringify(event);

function signed(id = 'evt_1', secret = SECRET, timestamp = SECONDS): Promise<Record<string, string>> {
  return signWebhook({ id, timestamp, attempt: 1, body: BODY }, [secret]);
}

async function post(receiver: Receiver, headers: Record<string, string>, body = BODY): Promise<number> {
  return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
}

describe('the demo receiver', () => {
  it('accepts a webhook that both schemes sign, and prints it', async () => {
    const { receiver, printed } = await receive(SECRET);
    expect(await post(receiver, await signed())).toBe(200);
    expect(printed).toHaveLength(1);
    expect(printed[0]).toMatch(
      /^\d\d:\d\d:\d\d {2}✓ 0199…aa11 {2}approved +edit +by 0199…ee11 {2}ships Hi Ines, it arrives tomorrow\.$/,
    );
  });

  it('prints once per id: a retry or a replay is answered and not printed again', async () => {
    const { receiver, printed } = await receive(SECRET);
    const headers = await signed();
    expect(await post(receiver, headers)).toBe(200);
    expect(await post(receiver, { ...headers, 'x-webhook-attempt': '2' })).toBe(200);
    expect(await post(receiver, await signed('evt_2'))).toBe(200);
    expect(printed).toHaveLength(2);
  });

  it('refuses with 401 and prints nothing: wrong secret, changed body, no headers, an old timestamp', async () => {
    const { receiver, printed } = await receive(SECRET);
    expect(await post(receiver, await signed('evt_1', WRONG))).toBe(401);
    expect(await post(receiver, await signed(), BODY.replace('tomorrow', 'today'))).toBe(401);
    expect(await post(receiver, {})).toBe(401);
    expect(await post(receiver, await signed('evt_1', SECRET, SECONDS - 301))).toBe(401);
    expect(printed).toEqual([]);
  });

  it('requires both schemes: either one alone, or one of the two broken, is refused', async () => {
    const { receiver, printed } = await receive(SECRET);
    const good = await signed();
    const bad = await signed('evt_1', WRONG);
    const { 'webhook-signature': standard, 'x-webhook-signature': plain, ...rest } = good;
    expect(await post(receiver, { ...rest, 'x-webhook-signature': String(plain) })).toBe(401);
    expect(await post(receiver, { ...rest, 'webhook-signature': String(standard) })).toBe(401);
    expect(await post(receiver, { ...good, 'x-webhook-signature': String(bad['x-webhook-signature']) })).toBe(401);
    expect(await post(receiver, { ...good, 'webhook-signature': String(bad['webhook-signature']) })).toBe(401);
    expect(printed).toEqual([]);
  });

  it('accepts a secret during a rotation in second place', async () => {
    const { receiver } = await receive(SECRET);
    const message = { id: 'evt_1', timestamp: SECONDS, attempt: 1, body: BODY };
    expect(await post(receiver, await signWebhook(message, [WRONG, SECRET]))).toBe(200);
  });

  it('answers 503 while it knows no secret, and 404 elsewhere', async () => {
    const { receiver, printed } = await receive();
    expect(await post(receiver, await signed())).toBe(503);
    expect((await fetch(receiver.url)).status).toBe(404);
    expect((await fetch(new URL('/else', receiver.url), { method: 'POST' })).status).toBe(404);
    expect(printed).toEqual([]);
  });

  it('takes another port when its own is in use', async () => {
    const { receiver } = await receive(SECRET);
    const port = Number(new URL(receiver.url).port);
    const second = await startReceiver({ port, now: () => NOW, print: () => undefined });
    running.push(second);
    expect(second.url).not.toBe(receiver.url);
  });
});

describe('the printed line', () => {
  const line = (changes: object) => describeEvent({ ...event, decision: { ...decision, ...changes } }, NOW);

  it('shortens the output and shows JSON on one line', () => {
    expect(line({ output: 'x'.repeat(500) })).toMatch(/ships x{47}…$/);
    expect(line({ output: { reply: 'Hi', refund_amount: 4.9 } })).toMatch(
      /ships \{"reply":"Hi","refund_amount":4\.9\}$/,
    );
  });

  it('says that nothing is shipped, and why, unless the item was approved', () => {
    expect(line({ status: 'rejected', output: null, reason: 'Wrong tone' })).toMatch(/ships nothing: Wrong tone$/);
  });

  it('tells all events apart', () => {
    const undecided = { ...event, decision: null, reviewer_id: null };
    const lines: [WebhookEvent, RegExp][] = [
      [{ ...event, decision }, /approved +edit .* ships Hi Ines/],
      [
        { ...event, event: 'decision.revised', decision: { ...decision, revision: 2, revises: decision.id } },
        /approved +edit .* ships Hi Ines.*\(revision 2\)$/,
      ],
      [{ ...undecided, event: 'item.withdrawn', status: 'withdrawn' }, /0199…aa11 {2}withdrawn$/],
      [{ ...undecided, event: 'item.expired', status: 'expired' }, /0199…aa11 {2}expired: its deadline passed$/],
      [{ ...undecided, event: 'item.expired', status: 'rejected' }, /0199…aa11 {2}rejected: its deadline passed$/],
    ];
    for (const [one, words] of lines) expect(describeEvent(one, NOW)).toMatch(words);
  });

  it('cannot be used to steer the terminal', () => {
    expect(line({ output: 'a\u001b[2Jb\u202ec\nd' })).toMatch(/ships a \[2Jb c d$/);
  });
});
