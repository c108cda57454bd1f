// Sets up the access matrix: two projects with every kind of object, every kind of caller, and the requests they send.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import * as invites from '@countersign/shared/routes/invites';
import * as projects from '@countersign/shared/routes/projects';
import { createEndpoint } from '@countersign/shared/routes/webhook';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { DELIVERED_EVENTS, type Role } from '@countersign/shared/enums';
import { aSubmission, join, offerTo, openProject, type OpenProject } from '../../builders.ts';
import { makeWallet, person, type Person } from '../../client.ts';
import { endpointOf, ACCESS_RULES } from './routes.ts';
import { aSender, type Sender } from '../webhooks/inbound-sender.ts';
import { ask, type Raw, type Sent, type Served } from '../support/http-server.ts';
import { PICTURE_URL, type ServicesEnvironment } from '../support/test-services.ts';

/** The kinds of ids in requests. */
export type Kind =
  | 'project'
  | 'item'
  | 'session'
  | 'key'
  | 'member'
  | 'invite'
  | 'offer'
  | 'source'
  | 'delivery'
  | 'replay'
  | 'notification'
  | 'alert'
  | 'cluster'
  | 'learning'
  | 'decision'
  | 'regression'
  | 'token'
  | 'challenge'
  | 'endpoint';

const KIND_OF_ID: [start: RegExp, kind: Kind][] = [
  [/^\/api\/projects\/:id/, 'project'],
  [/^\/api\/(public\/)?items\/:id/, 'item'],
  [/^\/api\/sessions\/:id/, 'session'],
  [/^\/api\/offers\/:id/, 'offer'],
  [/^\/api\/deliveries\/:id/, 'delivery'],
  [/^\/api\/replays\/:id/, 'replay'],
  [/^\/api\/notification-messages\/:id/, 'notification'],
  [/^\/api\/public\/regressions\/:id/, 'regression'],
];
const KIND_OF_NAME: Record<string, Kind> = {
  project_id: 'project',
  item: 'item',
  item_ids: 'item',
  key_id: 'key',
  user_id: 'member',
  people: 'member',
  invite_id: 'invite',
  offer_id: 'offer',
  source_id: 'source',
  endpoint_id: 'endpoint',
  endpoint: 'endpoint',
  delivery_id: 'delivery',
  alert_id: 'alert',
  cluster_id: 'cluster',
  cluster: 'cluster',
  learning_id: 'learning',
  revises: 'decision',
  regression_id: 'regression',
  token: 'token',
  challenge_id: 'challenge',
};

/** A place in a route's request that takes an id. */
export interface IdLocation {
  where: 'path' | 'query' | 'body';
  /** The parameter's name, or the path in the body. */
  at: (string | number)[];
  kind: Kind;
}

/** Every place of a route that takes an id: in its path, and in the schemas of its query and body. */
export function idLocationsOf(name: string): IdLocation[] {
  const { path, query, body } = endpointOf(name);
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, at = '']) => [at]);
  const kind = (at: (string | number)[]): Kind => {
    const last = String(at.findLast((part) => typeof part === 'string'));
    const found = last === 'id' ? KIND_OF_ID.find(([start]) => start.test(path))?.[1] : KIND_OF_NAME[last];
    if (found === undefined) throw new Error(`${name}: environment.ts does not say what “${last}” is an id of.`);
    return found;
  };
  const placed = (where: IdLocation['where'], all: (string | number)[][]) =>
    all.map((at) => ({ where, at, kind: kind(at) }));
  return [...placed('path', inPath), ...placed('query', uuidsOf(query)), ...placed('body', uuidsOf(body))];
}

interface Schema {
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

function uuidsOf(schema: z.ZodType | null): (string | number)[][] {
  if (schema === null) return [];
  const isId = (part: Schema, at: (string | number)[]) =>
    part.format === 'uuid' || (part.type === 'string' && /^(?:.*_)?id$/.test(String(at.at(-1))));
  const walk = (part: Schema, at: (string | number)[]): (string | number)[][] => [
    ...(isId(part, at) ? [at] : []),
    ...Object.entries(part.properties ?? {}).flatMap(([name, inner]) => walk(inner, [...at, name])),
    ...(part.items ? walk(part.items, [...at, 0]) : []),
    ...(part.anyOf ?? []).flatMap((inner) => walk(inner, at)),
  ];
  return walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema, []);
}

export type Ids = Record<Exclude<Kind, 'challenge' | 'token'>, string>;
export type Who = Role | 'stranger' | 'removed reviewer' | 'removed owner';

export interface MatrixEnvironment {
  served: Served;
  project: OpenProject;
  other: OpenProject;
  people: Record<Who, Person>;
  /** The ids of `project`, and of `other`. */
  ids: Ids;
  theirs: Ids;
  /** Members and keys that sign for `project`; the one in `ids` may be removed. */
  source: Sender;
  theirSource: Sender;
  revokedKey: string;
  /** The token of an invite of `project` that nobody accepts. */
  inviteToken: string;
}

const ENDPOINT = {
  url: 'http://127.0.0.1:1024/',
  description: '',
  events: [...DELIVERED_EVENTS],
  is_enabled: true,
};

/** A project with an item, a delivery, a key, a member, an invite and a source that a test may change and remove. */
async function fillProject(
  project: OpenProject,
  member: Person,
  sql: ServicesEnvironment['sql'],
): Promise<{ ids: Ids; source: Sender }> {
  const params = { id: project.id };
  await join(project, member);
  const [source, spare] = [await aSender(project), await aSender(project)];
  const item = (await project.pipeline.submit(aSubmission({ input: PICTURE_URL }))).id;
  const ids = {
    project: project.id,
    item,
    delivery: await aDelivery(project.id, item, sql),
    replay: await aReplay(project.id, sql),
    notification: await aNotification(project.id, sql),
    alert: await anAlert(project.id, sql),
    cluster: await aCluster(project.id, sql),
    ...(await aLearning(project, sql)),
    session: sessionOf(member),
    key: (await project.owner.call(projects.createApiKey, { params, body: { name: 'Other' } })).id,
    member: member.id,
    invite: (await project.owner.call(invites.createInvite, { params, body: { role: 'reviewer' } })).id,
    offer: await offerTo(project, makeWallet().address),
    source: spare.sourceId,
    endpoint: (await project.owner.call(createEndpoint, { params, body: ENDPOINT })).id,
  };
  return { ids, source };
}

async function aDelivery(projectId: string, itemId: string, sql: ServicesEnvironment['sql']): Promise<string> {
  const id = randomUUID();
  await sql(
    `insert into delivery (id, project_id, item_id, webhook_id, seq, body, status, attempt, created_at)
     values (?, ?, ?, ?, 1, '{}', 'dead', 10, now())`,
    [id, projectId, itemId, `evt_${id}`],
  );
  return id;
}

async function aNotification(projectId: string, sql: ServicesEnvironment['sql']): Promise<string> {
  const id = randomUUID();
  await sql(
    `insert into notification_message (id, project_id, kind, url, body, status, attempt, created_at)
     values (?, ?, 'webhook', 'http://127.0.0.1:1024/', '{"findings":[]}', 'dead', 10, now())`,
    [id, projectId],
  );
  return id;
}

async function anAlert(projectId: string, sql: ServicesEnvironment['sql']): Promise<string> {
  const id = randomUUID();
  await sql(`insert into webhook_alert (id, project_id, kind, created_at) values (?, ?, 'exhausted', now())`, [
    id,
    projectId,
  ]);
  return id;
}

async function aReplay(projectId: string, sql: ServicesEnvironment['sql']): Promise<string> {
  const id = randomUUID();
  await sql(
    `insert into replay (id, project_id, status, to_at, state, total, started_by_name, created_at, ended_at)
     values (?, ?, 'dead', now(), 'done', 0, 'Somebody', now(), now())`,
    [id, projectId],
  );
  return id;
}

async function aCluster(projectId: string, sql: ServicesEnvironment['sql']): Promise<string> {
  const id = randomUUID();
  await sql('insert into cluster (id, project_id, created_at) values (?, ?, now())', [id, projectId]);
  return id;
}

/** A learning by the owner, and a regression run over it. */
async function aLearning(
  { id: projectId, owner, pipeline }: OpenProject,
  sql: ServicesEnvironment['sql'],
): Promise<{ decision: string; learning: string; regression: string }> {
  const item = (await pipeline.submit(aSubmission())).id;
  const [decision, learning, regression] = [randomUUID(), randomUUID(), randomUUID()];
  await sql(
    `insert into decision (id, item_id, project_id, status, action, edited, reason, reviewer_id, decided_at, final_at)
     values (?, ?, ?, 'rejected', 'reject', false, 'Wrong', ?, now(), now())`,
    [decision, item, projectId, owner.id],
  );
  await sql(
    `insert into learning (id, project_id, item_id, decision_id, action, reason, reviewer_id, settings_version, created_at)
     values (?, ?, ?, ?, 'reject', 'Wrong', ?, 1, now())`,
    [learning, projectId, item, decision, owner.id],
  );
  await sql(`insert into regression (id, project_id, started_by_name, created_at) values (?, ?, 'Somebody', now())`, [
    regression,
    projectId,
  ]);
  await sql('insert into regression_case (regression_id, learning_id, project_id, place) values (?, ?, ?, 1)', [
    regression,
    learning,
    projectId,
  ]);
  return { decision, learning, regression };
}

export const sessionOf = (who: Person) => who.cookies.get('__Host-sid')?.split('.')[0] ?? '';

export async function openMatrixEnvironment(
  served: Served,
  { sql }: Pick<ServicesEnvironment, 'sql'>,
): Promise<MatrixEnvironment> {
  const newPerson = () => person(served.testEnv);
  const [project, other] = [await openProject(await newPerson()), await openProject(await newPerson())];
  const people: Record<Who, Person> = {
    owner: project.owner,
    supervisor: await newPerson(),
    reviewer: await newPerson(),
    stranger: await newPerson(),
    'removed reviewer': await newPerson(),
    'removed owner': await newPerson(),
  };
  for (const role of ['reviewer', 'supervisor'] as const) await join(project, people[role], role);
  for (const role of ['reviewer', 'owner'] as const) await remove(project, people[`removed ${role}`], role);
  const [{ ids, source }, theirs] = [
    await fillProject(project, await newPerson(), sql),
    await fillProject(other, await newPerson(), sql),
  ];
  const rest = { theirs: theirs.ids, theirSource: theirs.source, revokedKey: await revoked(project) };
  const invite = { params: { id: project.id }, body: { role: 'reviewer' as const } };
  const inviteToken = (await project.owner.call(invites.createInvite, invite)).token;
  return { served, project, other, people, ids, source, inviteToken, ...rest };
}

async function remove(project: OpenProject, who: Person, was: Role): Promise<void> {
  await join(project, who, was);
  await project.owner.call(projects.removeMember, { params: { id: project.id, user_id: who.id } });
}

async function revoked({ id, owner }: OpenProject): Promise<string> {
  const { id: key_id, api_key } = await owner.call(projects.createApiKey, { params: { id }, body: { name: 'Gone' } });
  await owner.call(projects.revokeApiKey, { params: { id, key_id } });
  return api_key;
}

/** The route’s own request; `put` replaces an id at a place. */
export function requestOf(
  matrixEnv: Pick<MatrixEnvironment, 'ids' | 'source'> & Partial<Pick<MatrixEnvironment, 'inviteToken'>>,
  name: string,
  put?: { place: IdLocation; id: string },
): Omit<Sent, 'headers'> {
  const { method, path } = endpointOf(name);
  const { body: own, around, query = '' } = ACCESS_RULES[name] ?? {};
  const body = put?.place.where === 'body' && around !== undefined ? { ...own, ...around } : own;
  const ids: Partial<Record<Kind, string>> = { ...matrixEnv.ids, token: 'A'.repeat(43) };
  if (name === 'readInvite') ids.token = matrixEnv.inviteToken ?? ids.token;
  if (name === 'receiveInbound') ids.source = matrixEnv.source.sourceId;
  const inText = (text: string) =>
    text
      .replaceAll(':id', matrixEnv.ids.project)
      .replaceAll(':item', matrixEnv.ids.item)
      .replaceAll(':alert', matrixEnv.ids.alert);
  const params = Object.fromEntries(idLocationsOf(name).map((place) => [String(place.at[0]), ids[place.kind] ?? '']));
  if (put?.place.where === 'path') params[String(put.place.at[0])] = put.id;
  const search = new URLSearchParams(inText(query));
  if (put?.place.where === 'query') search.set(String(put.place.at[0]), put.id);
  const sent = body && (JSON.parse(inText(JSON.stringify(body))) as object);
  const filled = put?.place.where === 'body' ? (within(sent, put.place.at, put.id) as object) : sent;
  return {
    method,
    path: path.replace(/:(\w+)/g, (_, param: string) => params[param] ?? '') + (search.size > 0 ? `?${search}` : ''),
    body: filled && JSON.stringify(filled),
  };
}

/** The value with `id` at this place. */
function within(value: unknown, [first, ...rest]: (string | number)[], id: string): unknown {
  if (first === undefined) return id;
  const inner = (value as Record<string | number, unknown> | undefined)?.[first];
  const changed = within(inner, rest, id);
  if (typeof first === 'number') return [changed];
  return { ...(value as object | undefined), [first]: changed };
}

export function send(
  matrixEnv: MatrixEnvironment,
  request: Omit<Sent, 'headers'>,
  headers: Record<string, string>,
): Promise<Raw> {
  const type: Record<string, string> = request.body === undefined ? {} : { 'content-type': 'application/json' };
  return ask(matrixEnv.served, { ...request, headers: { ...type, ...headers } });
}

/** Sends the route’s request, and returns `in`, or the error code of the refusal. */
export async function refusalCodeOf(
  matrixEnv: MatrixEnvironment,
  name: string,
  headers: Record<string, string>,
): Promise<string> {
  return codeOf(await send(matrixEnv, requestOf(matrixEnv, name), headers));
}

export const codeOf = ({ status, text }: Raw): string => (status < 400 ? 'in' : problem.parse(JSON.parse(text)).code);

/** The headers that a person’s browser sends with a change. */
export const asPerson = (matrixEnv: MatrixEnvironment, who: Who) => ({
  origin: matrixEnv.served.testEnv.baseUrl,
  cookie: matrixEnv.people[who].cookieHeader(),
});
