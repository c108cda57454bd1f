// Tests that pipelines of the first version get the recorded bytes: answers, webhooks, feed and exports.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportLearnings } from '@countersign/shared/routes/exports';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { relayOnce } from '../../../src/worker/relay.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { seeded } from '../../fixtures/seeded-random.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { aSender, hexOf, post } from '../webhooks/inbound-sender.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  const settings = {
    webhook_url: 'http://127.0.0.1:9090/',
    escalate_flags: ['legal'],
    below_review: 'reject' as const,
  };
  project = await openProject(await person(served.testEnv), { settings });
});
afterAll(() => served.close());

const random = seeded(20_261_127);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** JSON texts as pipelines spell them. */
const INPUTS = ['"Where is it?"', '{"question": "May I return it?", "10":1, "a":[1.0,2e1]}', '[{"role":"user"}]', '7'];
const SUGGESTIONS = ['"Yes, within 30 days."', '{ "amount" : 1.50, "currency":"EUR"}', '["a", 0.10]', '12', 'true'];
const SCHEMAS = ['', '', '', ',"answer_schema":null', ',"answer_schema":{"type": "string"}'];
const FLAGS = ['', '', ',"risk_flags":["tone"]', ',"risk_flags":["Legal "]', ',"risk_flags":[]'];
const METADATA = ['', ',"metadata":{ "model":"m-1", "n":1.0}'];
const MISTAKES = [',"risk_flag":[]', ',"kinds":"answer"', ',"metadata":7', ',"answer_schema":{"type":"text"}'];

const bodyOf = (of: string, more = ''): string =>
  [
    `{${of}"input":${pick(INPUTS)},"suggestion":${pick(SUGGESTIONS)},"confidence":${pick(['0.1', '0.8', '0.99', '1.0'])}`,
    `${pick(FLAGS)}${pick(METADATA)}${more === '' ? pick(SCHEMAS) : more}}`,
  ].join('');

/** Decides as a reviewer would; an edit or rejection with a reason. */
async function decided(id: string): Promise<void> {
  const params = { id };
  const { fence, item } = await project.owner.call(claimItem, { params });
  const chosen = item.suggestion_faults === null ? pick(['approve', 'edit', 'reject'] as const) : 'reject';
  const reason = pick(['Wrong fact', 'Too long']);
  const note = pick([{}, { note: 'See the policy.' }]);
  const output = pick(['No, 14 days.', 'Please ask the seller.']);
  const isTyped = item.answer_schema !== null && chosen === 'edit';
  const body = { approve: {}, edit: { output: isTyped ? `${output} Again.` : output, reason, ...note } };
  const given = chosen === 'reject' ? { reason, ...note } : body[chosen];
  await project.owner.call(decideItem, { params, body: { fence, action: chosen, ...given } });
}

const idsIn = (text: string): string[] => {
  const answer = JSON.parse(text) as { id?: string; results?: { id?: string }[] };
  return (answer.results ?? [answer]).flatMap(({ id }) => id ?? []);
};

async function read(path: string): Promise<string> {
  const headers = { 'x-api-key': project.pipeline.apiKey };
  return (await fetch(`${served.testEnv.url()}/api/public/${path}`, { headers })).text();
}

/** Everything that one run gets, line by line. */
async function recorded(): Promise<string[]> {
  const lines: string[] = [];
  const own = `"project_id":"${project.id}",`;
  const sender = await aSender(project);
  for (let n = 0; n < 70; n += 1) {
    const body = bodyOf(n % 3 === 0 ? '' : own, n % 10 === 9 ? pick(MISTAKES) : '');
    const sent = { body, headers: hexOf(sender.secret, body) };
    const answer = n % 3 === 0 ? await post(served, sender.path, sent) : await project.pipeline.submitRaw(body);
    lines.push(`submit ${answer.status} ${answer.text}`);
  }
  for (let n = 0; n < 13; n += 1) {
    const items = Array.from({ length: 10 }, (_, at) => bodyOf(own, n === 0 && at < 4 ? MISTAKES[at] : ''));
    lines.push(`batch ${(await project.pipeline.submitBatchRaw(`{"items":[${items.join()}]}`)).text}`);
  }
  const ids = lines.flatMap((line) => idsIn(line.slice(line.indexOf('{'))));
  const waiting = await inside.sql<{ id: string }>(
    `select id from item where project_id = ? and status in ('queued', 'escalated') order by id`,
    [project.id],
  );
  for (const { id } of waiting) if (random() < 0.8) await decided(id);
  while ((await relayOnce(inside.services, inside.signals)).again);
  for (const id of ids) if (random() < 0.4) lines.push(`read ${await read(`items/${id}`)}`);
  lines.push(`list ${await read('items?limit=10')}`, `feed ${await read('events?limit=60')}`);
  const bodies = await inside.sql<{ body: string }>(`select body from delivery where project_id = ? order by seq`, [
    project.id,
  ]);
  lines.push(...bodies.map(({ body }) => `webhook ${body}`));
  for (const format of ['raw', 'chat', 'preference', 'eval'] as const)
    lines.push(
      `${format}\n${await project.owner.call(exportLearnings, { params: { id: project.id }, query: { format } })}`,
    );
  return lines;
}

/** The text without what differs in every run: IDs, times, the cursor and the reviewer's wallet. */
function normalized(text: string): string {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `#${names.size}`;
    names.set(id, name);
    return name;
  };
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"next_cursor":"[^"]*"/g, '"next_cursor":"CURSOR"')
    .replaceAll(project.owner.wallet.address, 'WALLET');
}

it('a pipeline that uses no new field gets the same bytes as from the first version', async () => {
  await expect(normalized((await recorded()).join('\n'))).toMatchFileSnapshot('../../fixtures/unchanged-bytes.txt');
});
