// Requests that would rather wait for the decision: woken by it wherever it was made, and answered in any case.
import { beforeAll, describe, expect, it } from 'vitest';
import { readItem, submitItem, type Submitted } from '@countersign/shared/api/public';
import { listQueue, undoDecision } from '@countersign/shared/api/queue';
import { aSubmission, openProject, type OpenProject, review } from '../builders.ts';
import { type Answer, type Person, person } from '../client.ts';
import { useWorld } from '../world.ts';

const world = useWorld();
let owner: Person;

beforeAll(async () => {
  owner = await person(world);
});

/** Submits and would wait for so many seconds. */
function submitting(of: OpenProject, prefer: string, overrides: Parameters<typeof aSubmission>[0] = {}) {
  const body = JSON.stringify({ project_id: of.id, ...aSubmission(overrides) });
  return of.pipeline.submitRaw(body, { headers: { prefer } });
}

const reading = (of: OpenProject, id: string, wait: number) =>
  of.pipeline.attempt(readItem, { params: { id }, query: { wait } });

/** The items of the project, once it has so many. */
async function arrived(of: OpenProject, count: number): Promise<string[]> {
  const read = async () =>
    (await owner.call(listQueue, { query: { project_id: of.id, view: 'all', limit: 100 } }, { process: 1 })).data;
  await expect.poll(async () => (await read()).length, { timeout: 15_000, interval: 20 }).toBe(count);
  return (await read()).map(({ id }) => id);
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const since = performance.now();
  const answer = await work;
  return { answer, ms: performance.now() - since };
}

const applied = (answer: Answer<unknown>) => answer.headers.get('preference-applied');

describe('a request that waits', () => {
  it('for what is final already is answered at once', async () => {
    const project = await openProject(owner);
    const { answer, ms } = await timed(submitting(project, 'wait=30', { confidence: 0.99 }));
    expect(answer).toMatchObject({ status: 201, reply: { status: 'auto_approved', decision: { edited: false } } });
    expect(applied(answer)).toBe('wait=30');
    const refused = await timed(submitting(project, 'wait=30', { confidence: 0.1 }));
    expect(refused.answer).toMatchObject({ reply: { status: 'rejected', decision: null } });
    const read = await timed(reading(project, answer.ok ? answer.reply.id : '', 30));
    expect(read.answer).toMatchObject({ status: 200, reply: { status: 'auto_approved' } });
    expect(Math.max(ms, refused.ms, read.ms)).toBeLessThan(5000);
  });

  it('wakes by the decision itself, made on the other process; submitting and reading alike', async () => {
    const project = await openProject(owner);
    const delays: number[] = [];
    for (let round = 1; round <= 5; round += 1) {
      const submitted = submitting(project, 'respond-async, wait=30');
      const [id = ''] = await arrived(project, 1);
      const read = reading(project, id, 30);
      const { decision } = await review(owner, id, 'edit', { process: 1 });
      const woken = await timed(Promise.all([submitted, read]));
      const [first, second] = woken.answer;
      expect(first).toMatchObject({ status: 201, reply: { id, status: 'approved', decision } });
      expect(second).toMatchObject({ status: 200, reply: { id, status: 'approved', decision } });
      expect(first.ok && Object.keys(first.reply)).toEqual(['id', 'status', 'decision']);
      delays.push(woken.ms);
    }
    // A poll alone would take half a second in the middle.
    expect(delays.toSorted((a, b) => a - b)[2], delays.join()).toBeLessThan(300);
  });

  it('LC2: waits on while the decision can be undone, and hears of it when it is final', async () => {
    const project = await openProject(owner, { settings: { undo_window_seconds: 1 } });
    const submitted = submitting(project, 'wait=30');
    const [id = ''] = await arrived(project, 1);
    await review(owner, id, 'reject');
    await owner.call(undoDecision, { params: { id } });
    const since = performance.now();
    const { decision } = await review(owner, id, 'approve', { process: 1 });
    expect(await submitted).toMatchObject({ reply: { status: 'approved', decision } });
    expect(performance.now() - since).toBeGreaterThan(1000);
  });

  it('hears how things stand when its time is over', async () => {
    const project = await openProject(owner);
    const { answer, ms } = await timed(submitting(project, 'wait=1'));
    expect(answer).toMatchObject({ status: 201, reply: { status: 'queued', decision: null } });
    expect(applied(answer)).toBe('wait=1');
    expect(ms).toBeGreaterThan(999);
    const read = await timed(reading(project, answer.ok ? answer.reply.id : '', 1));
    expect(read.answer).toMatchObject({ status: 200, reply: { status: 'queued', decision: null, decided_at: null } });
    expect(read.ms).toBeGreaterThan(999);
  });

  it('may be a repeat: both hear of the one item’s decision (I2)', async () => {
    const project = await openProject(owner);
    const body = JSON.stringify({ project_id: project.id, ...aSubmission() });
    const send = (process: number) =>
      project.pipeline.submitRaw(body, { idempotencyKey: 'patient', process, headers: { prefer: 'wait=30' } });
    const first = send(0);
    const [id = ''] = await arrived(project, 1);
    const again = send(1);
    await review(owner, id, 'reject');
    for (const answer of [await first, await again])
      expect(answer).toMatchObject({ status: 201, reply: { id, status: 'rejected' } });
    expect((await again).headers.get('idempotent-replayed')).toBe('true');
  });

  it.each(['wait', 'wait=soon', 'wait=-1', 'wait=1.5', 'respond-async', 'await=30', 'wait=0'])(
    'does not wait when it says “%s”',
    async (prefer) => {
      const project = await openProject(owner);
      const { answer, ms } = await timed(submitting(project, prefer));
      expect(answer).toMatchObject({ status: 201, reply: { status: 'queued' } });
      expect(applied(answer)).toBe(prefer === 'wait=0' ? 'wait=0' : null);
      expect(ms).toBeLessThan(5000);
    },
  );

  it.each(['-1', '61', 'soon', '1.5', '1&wait=2'])('?wait=%s is refused', async (wait) => {
    const project = await openProject(owner);
    const { id } = await project.pipeline.submit(aSubmission());
    const url = `${world.url()}/api/public/items/${id}?wait=${wait}`;
    const answer = await fetch(url, { headers: { 'x-api-key': project.pipeline.apiKey } });
    expect(await answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '#/query/wait' }] });
  });
});

describe('a process that is told to stop while many wait', () => {
  it('answers all of them with how things stand, and ends in order', { timeout: 60_000 }, async () => {
    const project = await openProject(owner);
    const { id } = await project.pipeline.submit(aSubmission());
    const reads = Array.from({ length: 20 }, () => reading(project, id, 60));
    const posts = Array.from({ length: 30 }, () => submitting(project, 'wait=60'));
    const ids = await arrived(project, 31);
    const { ms } = await timed(world.terminate(0));
    for (const answer of await Promise.all(reads)) expect(answer).toMatchObject({ status: 200, reply: { id } });
    const answers = await Promise.all(posts);
    const told = answers.map((answer) => (answer.ok ? answer.reply : answer.problem));
    expect(told).toEqual(answers.map(() => expect.objectContaining({ status: 'queued', decision: null }) as Submitted));
    expect(ids).toEqual(expect.arrayContaining(told.map((one) => ('id' in one ? one.id : ''))));
    // Cutting connections that linger would take ten seconds.
    expect(ms).toBeLessThan(8000);
    await world.restart();
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued' });
  });
});

describe('more than 100 who wait with one key', () => {
  it('are refused before anything is stored, and get in when others leave', { timeout: 60_000 }, async () => {
    const project = await openProject(owner);
    const leaving = new AbortController();
    const crowd = Array.from({ length: 100 }, () =>
      fetch(world.url() + submitItem.path, {
        method: 'POST',
        headers: { 'x-api-key': project.pipeline.apiKey, 'content-type': 'application/json', prefer: 'wait=60' },
        body: JSON.stringify({ project_id: project.id, ...aSubmission() }),
        signal: leaving.signal,
      }).then(
        ({ status }) => status,
        () => 'gone',
      ),
    );
    const [id = ''] = await arrived(project, 100);
    const turnedAway = await submitting(project, 'wait=60');
    expect(turnedAway).toMatchObject({ status: 429, problem: { code: 'too_many_waiters' } });
    expect(turnedAway.headers.get('retry-after')).toBe('1');
    expect(await reading(project, id, 60)).toMatchObject({ status: 429, problem: { code: 'too_many_waiters' } });
    expect(await arrived(project, 100)).toHaveLength(100);
    // Who does not wait is welcome, and so is another key.
    expect(await reading(project, id, 0)).toMatchObject({ status: 200 });
    expect(await submitting(await openProject(owner), 'wait=1')).toMatchObject({ status: 201 });
    leaving.abort();
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['gone']));
    await expect.poll(async () => (await reading(project, id, 1)).status, { timeout: 10_000 }).toBe(200);
  });
});
