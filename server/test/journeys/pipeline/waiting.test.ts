// Tests requests that wait for the decision: woken by it in any process, and answered in any case.
import { beforeAll, describe, expect, it } from 'vitest';
import { readItem, submitItem } from '@countersign/shared/routes/public';
import type { Submitted } from '@countersign/shared/schemas/public';
import { listQueue, undoDecision } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, type OpenProject, review, setUndoWindow } from '../../builders.ts';
import { type Answer, type Person, person } from '../../client.ts';
import { setDeadlineClock } from '../../integration/support/deadline-clock.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const testEnv = useTestEnvironment();
let owner: Person;

beforeAll(async () => {
  owner = await person(testEnv);
});

/** Submits and asks to wait for this many seconds. */
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
  await expect.poll(async () => (await read()).length, { interval: 20 }).toBe(count);
  return (await read()).map(({ id }) => id);
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const since = performance.now();
  const answer = await work;
  return { answer, ms: performance.now() - since };
}

const applied = (answer: Answer<unknown>) => answer.headers.get('preference-applied');

describe('a waiting request', () => {
  it('gets a final result at once', async () => {
    const project = await openProject(owner);
    // Waiting for any of it would exceed this test's timeout.
    const answer = await submitting(project, 'wait=60', { confidence: 0.99 });
    expect(answer).toMatchObject({ status: 201, reply: { status: 'auto_approved', decision: { edited: false } } });
    expect(applied(answer)).toBe('wait=60');
    const refused = await submitting(project, 'wait=60', { confidence: 0.1 });
    expect(refused).toMatchObject({ reply: { status: 'rejected', decision: null } });
    const read = await reading(project, answer.ok ? answer.reply.id : '', 60);
    expect(read).toMatchObject({ status: 200, reply: { status: 'auto_approved' } });
  });

  it('is woken by the decision itself, made on the other process; submitting and reading alike', async () => {
    const project = await openProject(owner);
    const submitted = submitting(project, 'respond-async, wait=60');
    const [id = ''] = await arrived(project, 1);
    const read = reading(project, id, 60);
    const { decision } = await review(owner, id, 'edit', { process: 1 });
    const [first, second] = await Promise.all([submitted, read]);
    expect(first).toMatchObject({ status: 201, reply: { id, status: 'approved', decision } });
    expect(second).toMatchObject({ status: 200, reply: { id, status: 'approved', decision } });
    expect(first.ok && Object.keys(first.reply)).toEqual(['id', 'status', 'decision']);
  });

  it('LC2: waits while the decision can be undone, and returns when it is final', async () => {
    const project = await openProject(owner, { settings: { undo_window_seconds: 30 } });
    const submitted = submitting(project, 'wait=60');
    const [id = ''] = await arrived(project, 1);
    await review(owner, id, 'reject');
    await owner.call(undoDecision, { params: { id } });
    await setUndoWindow(project, 1);
    const since = performance.now();
    const { decision } = await review(owner, id, 'approve', { process: 1 });
    expect(await submitted).toMatchObject({ reply: { status: 'approved', decision } });
    expect(performance.now() - since).toBeGreaterThan(1000);
  });

  it('DL1: is woken by the deadline of its item, with the status that it has then and no decision', async () => {
    const project = await openProject(owner);
    const waiting = (['expire', 'reject', 'escalate'] as const).map((on_deadline) =>
      submitting(project, 'wait=60', { deadline_seconds: 600, on_deadline }),
    );
    const ids = await arrived(project, 3);
    const reads = ids.map((id) => reading(project, id, 60));
    await setDeadlineClock(testEnv, 601);
    const [expired, rejected, escalated] = waiting;
    expect(await expired).toMatchObject({ status: 201, reply: { status: 'expired', decision: null } });
    expect(await rejected).toMatchObject({ status: 201, reply: { status: 'rejected', decision: null } });
    // What escalates has no end yet: its request waits on, until the second deadline.
    await setDeadlineClock(testEnv, 10_000);
    expect(await escalated).toMatchObject({ status: 201, reply: { status: 'expired', decision: null } });
    const statuses = (await Promise.all(reads)).map((read) => (read.ok ? read.reply.status : read.text));
    expect(statuses.sort()).toEqual(['expired', 'expired', 'rejected']);
    await setDeadlineClock(testEnv, 0);
  });

  it('returns the current state when its time is over', async () => {
    const project = await openProject(owner);
    const { answer, ms } = await timed(submitting(project, 'wait=1'));
    expect(answer).toMatchObject({ status: 201, reply: { status: 'queued', decision: null } });
    expect(applied(answer)).toBe('wait=1');
    expect(ms).toBeGreaterThan(999);
    const read = await timed(reading(project, answer.ok ? answer.reply.id : '', 1));
    expect(read.answer).toMatchObject({ status: 200, reply: { status: 'queued', decision: null, decided_at: null } });
    expect(read.ms).toBeGreaterThan(999);
  });

  it('may be a repeat: both get the decision of the one item (I2)', async () => {
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

  it.each(['wait', 'wait=soon', 'wait=-1', 'wait=1.5', 'respond-async', 'await=60', 'wait=0'])(
    'does not wait when it says “%s”',
    async (prefer) => {
      const project = await openProject(owner);
      const answer = await submitting(project, prefer);
      expect(answer).toMatchObject({ status: 201, reply: { status: 'queued' } });
      expect(applied(answer)).toBe(prefer === 'wait=0' ? 'wait=0' : null);
    },
  );

  it.each(['-1', '61', 'soon', '1.5', '1&wait=2'])('a request with ?wait=%s is refused', async (wait) => {
    const project = await openProject(owner);
    const { id } = await project.pipeline.submit(aSubmission());
    const url = `${testEnv.url()}/api/public/items/${id}?wait=${wait}`;
    const answer = await fetch(url, { headers: { 'x-api-key': project.pipeline.apiKey } });
    expect(await answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '#/query/wait' }] });
  });
});

describe('a process that gets SIGTERM while many requests wait', () => {
  it('answers all of them with the current state, and stops cleanly', { timeout: 60_000 }, async () => {
    const project = await openProject(owner);
    const { id } = await project.pipeline.submit(aSubmission());
    const reads = Array.from({ length: 20 }, () => reading(project, id, 60));
    const posts = Array.from({ length: 30 }, () => submitting(project, 'wait=60'));
    const ids = await arrived(project, 31);
    await testEnv.terminate(0);
    for (const answer of await Promise.all(reads)) expect(answer).toMatchObject({ status: 200, reply: { id } });
    const answers = await Promise.all(posts);
    const told = answers.map((answer) => (answer.ok ? answer.reply : answer.problem));
    expect(told).toEqual(answers.map(() => expect.objectContaining({ status: 'queued', decision: null }) as Submitted));
    expect(ids).toEqual(expect.arrayContaining(told.map((one) => ('id' in one ? one.id : ''))));
    expect(testEnv.log()).not.toContain('open connections were cut');
    await testEnv.restart();
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued' });
  });
});

describe('more than 100 waiting requests with one key', () => {
  it('PW1: are stored and answered at once, and may wait when others finish', { timeout: 60_000 }, async () => {
    const project = await openProject(owner);
    const leaving = new AbortController();
    const crowd = Array.from({ length: 100 }, () =>
      fetch(testEnv.url() + submitItem.path, {
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
    const withoutSlot = await submitting(project, 'wait=60');
    expect(withoutSlot).toMatchObject({ status: 201, reply: { status: 'queued' } });
    expect(applied(withoutSlot)).toBeNull();
    expect(await reading(project, id, 60)).toMatchObject({ status: 200, reply: { id, status: 'queued' } });
    // A request without waiting is accepted, and so is another key.
    expect(await reading(project, id, 0)).toMatchObject({ status: 200 });
    expect(await submitting(await openProject(owner), 'wait=1')).toMatchObject({ status: 201 });
    leaving.abort();
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['gone']));
    await expect.poll(async () => applied(await submitting(project, 'wait=1'))).toBe('wait=1');
  });
});
