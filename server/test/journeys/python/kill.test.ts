// Tests kill -9 of Python client and server during reviews: nothing is lost, and nothing happens twice.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createClient } from '@countersign/shared/client';
import { claimItem, decideItem, listQueue } from '@countersign/shared/routes/queue';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { seeded } from '../../fixtures/seeded-random.ts';
import { expectInvariants } from '../../run-script.ts';
import { scaled } from '../../soak.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { PYTHON, setStage, type Stage, startPython } from './python.ts';

const COUNT = scaled(30, 1000);
/** At most so many lines of the client's output between two kills. */
const MOST_LINES = scaled(16, 60);

interface Finished {
  number: number;
  id: string;
  action: string;
  output: unknown;
}

/** What people decide about each suggestion, by its number. */
const DECISIONS = [
  { action: 'approve', body: () => ({}), output: (number: number) => `suggested ${number}` },
  {
    action: 'edit',
    body: (number: number) => ({ output: `edited ${number}`, reason: 'Wrong fact' }),
    output: (number: number) => `edited ${number}`,
  },
  { action: 'reject', body: () => ({ reason: 'Incomplete' }), output: () => null },
] as const;
const decisionOn = (number: number) => DECISIONS[number % 3] ?? DECISIONS[0];

describe.runIf(PYTHON !== undefined)(
  'kill -9 of client and server at random (where PYTHON_SDK names an environment)',
  () => {
    const testEnv = useTestEnvironment({ processes: 1 });

    it('I2: each of many reviews ends once, with its decision', { timeout: scaled(900_000, 1_800_000) }, async () => {
      const project = await openProject(await person(testEnv));
      const stage = await setStage(testEnv, project);
      const folder = mkdtempSync(join(tmpdir(), 'countersign-journal-'));
      const journal = join(folder, 'journal.jsonl');
      const done = new AbortController();
      const people = decideAll(project, done.signal);
      try {
        await reviewAll(stage, journal);
        await expectEachOnce(createClient({ baseUrl: testEnv.url(), apiKey: project.pipeline.apiKey }), journal);
      } finally {
        done.abort();
        await people;
        await stage.close();
        rmSync(folder, { recursive: true });
      }
      await expectInvariants(testEnv.env);
    });
  },
);

/** Starts the client until it has finished everything; under each, first the server is killed, then the client itself. */
async function reviewAll(stage: Stage, journal: string): Promise<void> {
  const random = seeded(31);
  const quota = () => 1 + Math.floor(random() * MOST_LINES);
  for (let code: number | null = null; code === null;) {
    const client = startPython(['tests/live/worker.py', String(COUNT), journal], stage.env);
    const [ended, errors] = [once(client, 'close'), text(client.stderr)];
    let [left, serverDue] = [quota(), true];
    for await (const _line of createInterface({ input: client.stdout })) {
      left -= 1;
      if (left > 0) continue;
      if (serverDue) await stage.killAndRestart();
      else client.kill('SIGKILL');
      [left, serverDue] = [quota(), false];
    }
    [code] = (await ended) as [number | null];
    expect(code ?? 0, await errors).toBe(0);
  }
}

/** Decides everything that waits, through kills of the server. */
async function decideAll({ owner, id }: OpenProject, signal: AbortSignal): Promise<void> {
  const decide = async (itemId: string) => {
    const params = { id: itemId };
    const { item, fence } = await owner.call(claimItem, { params });
    const { number } = item.input as { number: number };
    const { action, body } = decisionOn(number);
    await owner.call(decideItem, { params, body: { fence, action, ...body(number) } });
  };
  while (!signal.aborted) {
    try {
      const query = { project_id: id, view: 'all', limit: 100 } as const;
      for (const { id: itemId } of (await owner.call(listQueue, { query })).data) await decide(itemId);
    } catch {
      // The server was killed: what it did not do is still in the list.
    }
    // Of any length: it leaves the machine to the client and the server.
    await delay(20);
  }
}

/** The item of each event of the feed. */
async function decidedItems(client: ReturnType<typeof createClient>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { data } of client.eventPages()) ids.push(...data.map(({ item_id }) => item_id));
  return ids;
}

/** The items, the events and the journal agree: every number is there once, with what people decided. */
async function expectEachOnce(client: ReturnType<typeof createClient>, journal: string): Promise<void> {
  const expected = Array.from({ length: COUNT }, (_, number) => number);
  const items = new Map<string, number>();
  for await (const { id, input } of client.eachItem()) items.set(id, (input as { number: number }).number);
  expect([...items.values()].sort((one, other) => one - other)).toEqual(expected);
  // An event is in the feed soon after its decision, and nothing comes after the last one.
  await expect.poll(async () => (await decidedItems(client)).length).toBeGreaterThanOrEqual(COUNT);
  expect((await decidedItems(client)).sort()).toEqual([...items.keys()].sort());
  const finished = readFileSync(journal, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Finished)
    .sort((one, other) => one.number - other.number);
  expect(finished.map(({ number }) => number)).toEqual(expected);
  for (const { number, id, action, output } of finished) {
    const decision = decisionOn(number);
    expect({ of: items.get(id), action, output }).toEqual({
      ...{ of: number, action: decision.action },
      output: decision.output(number),
    });
  }
}
