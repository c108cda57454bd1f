// Tests ids of another project in every place of every route: the response equals that for an unknown id (T2).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_RULES, endpointOf } from './routes.ts';
import {
  codeOf,
  type MatrixEnvironment,
  type Kind,
  openMatrixEnvironment,
  type IdLocation,
  idLocationsOf,
  requestOf,
  send,
} from './environment.ts';
import { asPerson, type Who } from './environment.ts';
import { hexOf, neutral } from '../webhooks/inbound-sender.ts';
import { type Raw, serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;

beforeAll(async () => {
  matrixEnv = await openMatrixEnvironment(await serve(inside.services), inside);
});
afterAll(() => matrixEnv.served.close());

/**
 * Kinds of ids that belong to no project: an invite's token admits its bearer (PM3), and a challenge belongs to a browser (S4,
 * S13).
 */
const NO_PROJECTS: readonly Kind[] = ['token', 'challenge'];
const PLACES = Object.keys(ACCESS_RULES).flatMap((name) =>
  idLocationsOf(name)
    .filter(({ kind }) => !NO_PROJECTS.includes(kind))
    .map((place) => [name, place.at.join('.'), place] as const),
);
const PEOPLE: Who[] = ['owner', 'supervisor', 'reviewer', 'stranger', 'removed owner'];

/** Every kind of caller that may use this route: people of this project, its key, its source. */
function callersOf(name: string): ((body: string) => Record<string, string>)[] {
  const { auth } = endpointOf(name);
  if (auth === 'api_key') return [() => ({ 'x-api-key': matrixEnv.project.pipeline.apiKey })];
  if (auth === 'signature') return [(body) => hexOf(matrixEnv.source.secret, body)];
  return PEOPLE.map((who) => () => asPerson(matrixEnv, who));
}

async function answerTo(
  name: string,
  put: { place: IdLocation; id: string },
  headers: (body: string) => Record<string, string>,
) {
  const request = requestOf(matrixEnv, name, put);
  const raw = await send(matrixEnv, request, headers(String(request.body ?? '')));
  return raw;
}

/** A response without the parts that differ by request: the requested id, and the rest of the caller’s rate limit. */
function bare(raw: Raw, id: string): string {
  const text = raw.status < 400 ? raw.text : JSON.stringify(neutral(raw));
  return text
    .replaceAll(id, '')
    .replaceAll(/"ratelimit[^\]]*\]/g, '')
    .replaceAll(/"request_id":"[^"]*"/g, '');
}

/** Everything in the other project that a request could have changed, as text. */
async function foreignIds(): Promise<string> {
  const tables = [
    'project',
    'member',
    'api_key',
    'invite',
    'offer',
    'inbound_source',
    'item',
    'project_settings',
    'webhook_endpoint',
    'delivery',
    'replay',
    'notification_message',
    'alert_seen',
  ];
  const rows = tables.map((table) => {
    const of = table === 'project' ? 'id' : 'project_id';
    return inside.sql<{ row: string }>(`select t::text as row from ${table} t where t.${of} = ? order by 1`, [
      matrixEnv.other.id,
    ]);
  });
  return JSON.stringify(await Promise.all(rows));
}

describe('T2: an id of another project', () => {
  it.each(PLACES)('%s: its %s gets the same response as an unknown one, for every caller', async (name, _, place) => {
    const theirs = matrixEnv.theirs[place.kind as keyof typeof matrixEnv.theirs];
    for (const headers of callersOf(name)) {
      const never = randomUUID();
      const [foreign, unknown] = [
        await answerTo(name, { place, id: theirs }, headers),
        await answerTo(name, { place, id: never }, headers),
      ];
      expect(bare(foreign, theirs)).toBe(bare(unknown, never));
      expect([foreign.status, [...foreign.headers.keys()]]).toEqual([unknown.status, [...unknown.headers.keys()]]);
      // The own project's 403 may come first where only the last id is foreign; nothing else intervenes.
      const refusals = ['not_found', 'forbidden', 'project_mismatch', 'signature_invalid', 'in'];
      // The item waits: no decision on it can be revised, whichever is named. Settings may name only members (SK2).
      const invalid = place.kind === 'decision' || place.at.includes('people');
      expect([...refusals, ...(invalid ? ['validation_failed'] : [])]).toContain(codeOf(foreign));
      // A batch responds per item; a filter that matches nothing returns an empty list.
      if (codeOf(foreign) === 'in') expect(['submitBatch', 'listDeliveries']).toContain(name);
    }
  });

  it('changed nothing in the other project, for every caller', async () => {
    const before = await foreignIds();
    for (const [name, , place] of PLACES)
      for (const headers of callersOf(name))
        await answerTo(name, { place, id: matrixEnv.theirs[place.kind as keyof typeof matrixEnv.theirs] }, headers);
    expect(await foreignIds()).toBe(before);
  });

  it('of a project returns 404 to strangers on every route, with any other input', async () => {
    for (const [name, , place] of PLACES.filter(
      ([name, , { kind }]) => kind === 'project' && endpointOf(name).auth === 'session',
    )) {
      const raw = await answerTo(name, { place, id: matrixEnv.theirs.project }, () => asPerson(matrixEnv, 'owner'));
      expect([name, codeOf(raw)]).toEqual([name, 'not_found']);
    }
  });
});

const MALFORMED = [
  'x',
  '0',
  'null',
  '%00',
  '%ff',
  '..%2f',
  "'--",
  '[]',
  '{}',
  '-1',
  'a'.repeat(2000),
  `${randomUUID()}0`,
  `{${randomUUID()}}`,
];

describe('a malformed id', () => {
  const inPaths = PLACES.filter(([, , { where }]) => where === 'path');
  it.each(inPaths)('%s: its %s is refused by name', async (name, _, place) => {
    for (const headers of callersOf(name).slice(0, 1))
      for (const id of MALFORMED) {
        const code = codeOf(await answerTo(name, { place, id }, headers));
        expect(['invalid_id', 'not_found', 'signature_invalid'], `${id}: ${code}`).toContain(code);
      }
  });
});
