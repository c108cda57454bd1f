// Tests the topology of docker-compose.yml behind one address: parallel start, many sockets, and a rolling restart.

// Runs under SOAK=1. Pipelines submit, a person holds an item and two pages are open during the rolling restart.

import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { startTopology, type Topology } from '../../scripts/lib/processes/topology.ts';
import { MIGRATIONS } from '../../server/src/db/migrations/list.ts';
import { aSubmission, join, openProject, insertMembers, type OpenProject } from '../../server/test/builders.ts';
import { people, person, type Person } from '../../server/test/client.ts';
import { emptyDatabase } from '../../server/test/fixtures/test-database.ts';
import { connectLive, type Live } from '../../server/test/live-client.ts';
import { submitInBackground } from '../../server/test/background-load.ts';
import { expectInvariants } from '../../server/test/run-script.ts';
import { COMPILED } from '../../server/test/server-process.ts';
import { SOAK } from '../../server/test/soak.ts';
import { WITH_REDIS, type TestEnvironment } from '../../server/test/test-environment.ts';
import { type Pages, pagesOf, sharedBrowser } from '../support/test-environment.ts';
import { queueFromServer, queueShownOn } from '../support/queue.ts';
import { poolTo } from '../../scripts/lib/processes/postgres-client.ts';

const SOCKETS = Number(process.env.SOCKETS ?? 200);
/** The sockets of one person. */
const TABS = 10;
const EVENTS = 100;
/** Submissions per second during the rolling restart; how many the machine can take varies. */
const PER_SECOND = 200;
/** How often a page refreshes the count of items beyond its loaded lines, in ms of its clock. */
const RECOUNT_MS = 15_000;

const chromium = await findChromium();

describe.skipIf(!SOAK || !WITH_REDIS)('three servers and two workers behind one address', () => {
  let topology: Topology;
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let owner: Person;
  let project: OpenProject;
  let pool: pg.Pool;
  let pages: Pages | undefined;

  beforeAll(async () => {
    database = await emptyDatabase();
    pool = await poolTo(database.url, 2);
    const stores = { databaseUrl: database.url, redisUrl: process.env.TEST_REDIS_URL ?? '' };
    topology = await startTopology(stores, {
      env: { RATE_LIMIT_PER_MINUTE: '1000000', NODE_COMPILE_CACHE: COMPILED },
    });
    // The client and the pipeline need only the address of the test environment; the crowd is inserted into its database.
    const sql = async <T>(text: string, params: unknown[] = []) => (await pool.query(text, params)).rows as T[];
    owner = await person({ baseUrl: topology.url, url: () => topology.url, sql } as TestEnvironment);
    project = await openProject(owner, { settings: { claim_lease_seconds: 600 } });
    const browser = await sharedBrowser();
    if (browser !== undefined) pages = pagesOf(browser, topology.url);
    // While a process is down, a page request may fail, and the browser logs it.
    pages?.allowConsoleError(/net::ERR|WebSocket connection|Failed to fetch|status of 5\d\d/);
  });
  afterAll(async () => {
    const faults = await pages?.close();
    await pool.end();
    await topology.stop();
    await database.remove();
    expect(faults ?? [], 'errors on the console of a page').toEqual([]);
  });

  it('runs the migrations once when five processes start on an empty database', async () => {
    expect(topology.members.map(({ name }) => name)).toEqual([
      'server 1',
      'server 2',
      'server 3',
      'worker 1',
      'worker 2',
    ]);
    const { rows } = await pool.query<{ name: string }>('select name from mikro_orm_migrations order by name');
    expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  });

  it('delivers every event to every socket once and in order', async () => {
    const reviewers = await people(owner.testEnv, Math.ceil(SOCKETS / TABS));
    await insertMembers(project, reviewers);
    const sockets: Live[] = [];
    for (const reviewer of reviewers)
      sockets.push(...(await Promise.all(Array.from({ length: TABS }, () => connectLive(reviewer)))));
    await Promise.all(sockets.map((socket) => socket.entered(project.id)));
    for (let n = 0; n < EVENTS; n += 10)
      await Promise.all(Array.from({ length: 10 }, () => project.pipeline.submit(aSubmission())));
    const seqs = (socket: Live) => socket.events.filter(({ type }) => type === 'item.queued').map(({ seq }) => seq);
    await expect.poll(() => sockets.filter((socket) => seqs(socket).length < EVENTS).length).toBe(0);
    const [first = []] = sockets.map(seqs);
    expect(first).toEqual([...new Set(first)].sort((a, b) => a - b));
    for (const socket of sockets) expect(seqs(socket)).toEqual(first);
    // Closing a socket checks for gaps and for events outside the contract.
    for (const socket of sockets) socket.close();
  });

  it.skipIf(chromium === undefined)(
    'loses no accepted item and no claim, and leaves no page behind, during a rolling restart',
    async () => {
      const [holder, ana, bo] = (await people(owner.testEnv, 3)) as [Person, Person, Person];
      for (const reviewer of [holder, ana, bo]) await join(project, reviewer);
      const { id: held } = await project.pipeline.submit(aSubmission());
      const { fence } = await holder.call(claimItem, { params: { id: held } });
      const before = topology.members.map(({ child }) => child.pid);
      const queuePage = await pages!.enter(ana, '/queue?view=all');
      const list = await pages!.enter(bo, '/queue?view=all');
      await queuePage.getByRole('row').first().waitFor();
      await queuePage.keyboard.press('n');
      await queuePage.getByText('Yours for').waitFor();
      for (const page of [queuePage, list]) await page.evaluate(() => Object.assign(window, { stayed: true }));

      const load = submitInBackground(project, { submitters: 32, perSecond: PER_SECOND });
      const acceptedBy = [0];
      await topology.rollingRestart(() => void acceptedBy.push(load.accepted.length));
      const { accepted, refused } = await load.end();

      const after = topology.members.map(({ child }) => child.pid);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
      expect(refused).toEqual([]);
      // While each process was down, the others kept accepting submissions.
      expect(acceptedBy).toEqual([...new Set(acceptedBy)]);
      const found = 'select count(*)::int as n from item where id = any($1)';
      const { rows } = await pool.query<{ n: number }>(found, [accepted]);
      expect([new Set(accepted).size, rows[0]?.n]).toEqual([accepted.length, accepted.length]);
      await holder.call(decideItem, { params: { id: held }, body: { fence, action: 'approve' } });

      // The pages were not reloaded: they show what they received over the socket.
      for (const [page, reviewer] of [
        [queuePage, ana],
        [list, bo],
      ] as const) {
        const counts = async () => (await queueShownOn(page, [])).counts;
        const { counts: now } = await queueFromServer(reviewer, 'all');
        // A page counts the items beyond its loaded lines from events, and refreshes the count from time to time.
        await page.clock.install();
        await page.clock.fastForward(RECOUNT_MS);
        await expect.poll(counts).toEqual(now);
        expect(await page.evaluate(() => 'stayed' in window)).toBe(true);
      }
      await queuePage.keyboard.press('a');
      const mine = 'select count(*)::int as n from decision where reviewer_id = $1';
      await expect.poll(async () => (await pool.query<{ n: number }>(mine, [ana.id])).rows).toEqual([{ n: 1 }]);
    },
    240_000,
  );

  it('I1, I2, I3, I4, I5, I6, I7, I9 hold afterwards', () => expectInvariants(topology.env));
});
