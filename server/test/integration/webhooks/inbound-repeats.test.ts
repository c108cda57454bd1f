// Tests IN1: an inbound message counts once, for any repeat, with any headers removed, and however much later.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { submitted } from '@countersign/shared/schemas/public';
import { openProject, review, type OpenProject } from '../../builders.ts';
import { exactly, person } from '../../client.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { aBody, aSender, hexOf, outcome, post, type Headers, type Sender, trioOf } from './inbound-sender.ts';
import { serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;
let sender: Sender;

beforeAll(async () => {
  served = await serve(inside.services);
});
afterAll(() => served.close());
beforeEach(async () => {
  project = await openProject(await person(served.testEnv));
  sender = await aSender(project);
});

const send = (body: string, headers: Headers, to: Sender = sender) => post(served, to.path, { body, headers });
const reply = ({ text }: Raw) => exactly(submitted, text);
const withoutTrio = ({ 'x-webhook-signature': hex = '' }: Headers): Headers => ({ 'x-webhook-signature': hex });

/** Everything a message could change in the project. */
async function everything(): Promise<unknown> {
  const of = (table: string, key = 'project_id') =>
    inside.sql(`select * from ${table} where ${key} = ? order by 1, 2, 3`, [project.id]);
  return Promise.all([
    of('item'),
    of('event'),
    of('decision'),
    of('delivery'),
    of('idempotency_key'),
    of('inbound_source'),
    of('project', 'id'),
  ]);
}
const count = async () =>
  (await inside.sql<{ n: number }>('select count(*)::int as n from item where project_id = ?', [project.id]))[0]?.n;

/** Sends a repeat, which changes nothing and returns the item of `first`. */
async function expectRepeat(first: Raw, again: () => Promise<Raw>): Promise<void> {
  expect(first.status).toBe(201);
  // As if it had not been used for long: otherwise a second use would not show.
  await inside.sql('update inbound_source set last_used_at = null where project_id = ?', [project.id]);
  const before = await everything();
  const second = await again();
  expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(reply(second)).toEqual(reply(first));
  expect(await everything()).toEqual(before);
}

describe('IN1: a message that is sent again gives the same item', () => {
  it.each(['Standard Webhooks', 'the hex signature'])('with the very same headers, by %s', async (scheme) => {
    const body = aBody();
    const headers = scheme.includes('hex') ? hexOf(sender.secret, body) : trioOf(sender.secret, body);
    await expectRepeat(await send(body, headers), () => send(body, headers));
    expect(await count()).toBe(1);
  });

  it('signed again under its id, as a sender does without an answer; also with another body', async () => {
    const id = randomUUID();
    const [body, other] = [aBody(), aBody()];
    const earlier = { id, at: new Date(Date.now() - 200_000) };
    const first = await send(body, trioOf(sender.secret, body, earlier));
    await expectRepeat(first, () => send(body, trioOf(sender.secret, body, { id })));
    await expectRepeat(first, () => send(other, trioOf(sender.secret, other, { id })));
  });

  it('without its signed headers', async () => {
    const body = aBody();
    const headers = { ...trioOf(sender.secret, body), ...hexOf(sender.secret, body) };
    await expectRepeat(await send(body, headers), () => send(body, withoutTrio(headers)));
  });

  it('with an unsigned id, or a different one each time', async () => {
    const body = aBody();
    const hex = hexOf(sender.secret, body);
    const first = await send(body, { ...hex, 'webhook-id': 'a', 'webhook-timestamp': '1' });
    await expectRepeat(first, () => send(body, { ...hex, 'webhook-id': 'b' }));
    await expectRepeat(first, () => send(body, hex));
  });

  it('after its item was decided: returns the current item', async () => {
    const body = aBody();
    const headers = trioOf(sender.secret, body);
    const { id } = reply(await send(body, headers));
    await review(project.owner, id);
    expect(reply(await send(body, headers))).toMatchObject({ id, status: 'approved', decision: { action: 'approve' } });
  });

  it('weeks later, when everything else is deleted', async () => {
    const body = aBody();
    const headers = hexOf(sender.secret, body);
    const first = await send(body, headers);
    const signed = aBody();
    const both = { ...trioOf(sender.secret, signed), ...hexOf(sender.secret, signed) };
    const second = await send(signed, both);
    await inside.sql(`update idempotency_key set created_at = now() - interval '30 days' where project_id = ?`, [
      project.id,
    ]);
    await sweepOnce(inside.services);
    await expectRepeat(first, () => send(body, headers));
    await expectRepeat(second, () => send(signed, withoutTrio(both)));
  });

  it.each(['Standard Webhooks', 'the hex signature'])('20 times at once by %s: one item', async (scheme) => {
    const body = aBody();
    const headers = scheme.includes('hex') ? hexOf(sender.secret, body) : trioOf(sender.secret, body);
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body, headers)));
    expect(answers.map(outcome).sort()).toEqual([...Array.from({ length: 19 }, () => '200'), '201']);
    expect(new Set(answers.map((answer) => reply(answer).id)).size).toBe(1);
    expect(await count()).toBe(1);
  });

  it('20 times at once to two processes: one item', async () => {
    const second = await inside.another();
    const elsewhere = await serve(second.services);
    const body = aBody();
    const headers = trioOf(sender.secret, body);
    const sent = Array.from({ length: 20 }, (_, n) =>
      post(n % 2 === 0 ? served : elsewhere, sender.path, { body, headers }),
    );
    const answers = await Promise.all(sent);
    await elsewhere.close();
    await second.close();
    expect(answers.map(outcome).sort()).toEqual([...Array.from({ length: 19 }, () => '200'), '201']);
    expect(await count()).toBe(1);
  });
});

describe('IN1: a new item', () => {
  it('results from the same body under another signed id', async () => {
    const body = aBody();
    const answers = [await send(body, trioOf(sender.secret, body)), await send(body, trioOf(sender.secret, body))];
    expect(answers.map(outcome)).toEqual(['201', '201']);
    expect(await count()).toBe(2);
    // Without its headers it could be either: it counts as the first.
    await expectRepeat(answers[0] as Raw, () => send(body, hexOf(sender.secret, body)));
  });

  it('results from another body', async () => {
    for (const body of [aBody(), aBody()]) expect(outcome(await send(body, hexOf(sender.secret, body)))).toBe('201');
    expect(await count()).toBe(2);
  });

  it('results from the same message of another source', async () => {
    const other = await aSender(project, 'Other');
    const [body, id] = [aBody(), randomUUID()];
    for (const to of [sender, other])
      expect(outcome(await send(body, trioOf(to.secret, body, { id }), to))).toBe('201');
    expect(await count()).toBe(2);
  });
});
