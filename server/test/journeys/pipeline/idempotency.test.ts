// Tests idempotent submission over processes and retries: one key, one item, and always its current state.
import { beforeAll, describe, expect, it } from 'vitest';
import { listQueue, undoDecision } from '@countersign/shared/routes/queue';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
  project = await openProject(owner);
});

const bodyOf = (of: OpenProject, overrides: Parameters<typeof aSubmission>[0] = {}) =>
  JSON.stringify({ project_id: of.id, ...aSubmission(overrides) });

describe('one Idempotency-Key', () => {
  it('sent 50 times at once over both processes creates one item; one response is the first, the rest replay or say wait (I2)', async () => {
    const own = await openProject(owner);
    const body = bodyOf(own);
    const send = (n: number) => own.pipeline.submitRaw(body, { idempotencyKey: 'order-7', process: n });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => send(n)));
    const replayed = answers.map((answer) => answer.ok && answer.headers.get('idempotent-replayed') === 'true');
    const first = answers.filter((answer, n) => answer.ok && !replayed[n]);
    expect(first).toHaveLength(1);
    const id = first[0]?.ok ? first[0].reply.id : '';
    for (const answer of answers) {
      if (answer.ok) expect(answer).toMatchObject({ status: 201, reply: { id, status: 'queued', decision: null } });
      else {
        expect(answer).toMatchObject({ status: 409, problem: { code: 'idempotency_in_progress' } });
        expect(answer.headers.get('retry-after')).toBe('1');
      }
    }
    const { counts } = await owner.call(listQueue, { query: { project_id: own.id } });
    expect(counts.all).toBe(1);
  });

  it('with another body is refused with 422, whichever process is asked', async () => {
    const [body, other] = [bodyOf(project), bodyOf(project)];
    await project.pipeline.submitRaw(body, { idempotencyKey: 'reused' });
    for (const process of [0, 1]) {
      const answer = await project.pipeline.submitRaw(other, { idempotencyKey: 'reused', process });
      expect(answer).toMatchObject({ status: 422, problem: { code: 'idempotency_key_reused' } });
    }
    // Bytes count, not meaning: other white space is another body.
    const spaced = await project.pipeline.submitRaw(`${body} `, { idempotencyKey: 'reused' });
    expect(spaced).toMatchObject({ status: 422 });
  });

  it('is the same bare or in quotes, and is another one in another project', async () => {
    const body = bodyOf(project);
    const first = await project.pipeline.submitRaw(body, { idempotencyKey: 'quoted' });
    const again = await project.pipeline.submitRaw(body, { idempotencyKey: '"quoted"' });
    expect(again.ok && first.ok && again.reply.id === first.reply.id).toBe(true);
    const other = await openProject(owner);
    const elsewhere = await other.pipeline.submitRaw(bodyOf(other), { idempotencyKey: 'quoted' });
    expect(elsewhere.status).toBe(201);
    expect(elsewhere.headers.get('idempotent-replayed')).toBeNull();
  });

  it('is refused by name when it is malformed', async () => {
    for (const idempotencyKey of ['', 'x'.repeat(256), 'größer']) {
      const headers = { 'idempotency-key': Buffer.from(idempotencyKey, 'utf8').toString('latin1') };
      const answer = await project.pipeline.submitRaw(bodyOf(project), { headers });
      expect(answer, JSON.stringify(idempotencyKey)).toMatchObject({
        status: 400,
        problem: { code: 'invalid_header' },
      });
    }
  });

  it('is not used up by a submission that was refused', async () => {
    const body = bodyOf(project, { confidence: 2 });
    expect(await project.pipeline.submitRaw(body, { idempotencyKey: 'second-try' })).toMatchObject({ status: 422 });
    const corrected = await project.pipeline.submitRaw(bodyOf(project), { idempotencyKey: 'second-try' });
    expect(corrected.status).toBe(201);
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('a replay', () => {
  it('returns 201 with the current item: queued, then approved with its decision', async () => {
    const body = bodyOf(project);
    const send = () => project.pipeline.submitRaw(body, { idempotencyKey: 'standing', process: 1 });
    const first = await send();
    const id = first.ok ? first.reply.id : '';
    const { decision } = await review(owner, id, 'edit');
    const replay = await send();
    expect(replay).toMatchObject({ status: 201, reply: { id, status: 'approved', decision } });
    expect(replay.ok && Object.keys(replay.reply)).toEqual(['id', 'status', 'decision']);
    expect(replay.headers.get('idempotent-replayed')).toBe('true');
  });

  it('does not show a provisional decision (LC2)', async () => {
    const own = await openProject(owner, { settings: { undo_window_seconds: 30 } });
    const body = bodyOf(own);
    const send = () => own.pipeline.submitRaw(body, { idempotencyKey: 'provisional' });
    const first = await send();
    const id = first.ok ? first.reply.id : '';
    await review(owner, id, 'reject');
    expect(await send()).toMatchObject({ status: 201, reply: { status: 'queued', decision: null } });
    await owner.call(undoDecision, { params: { id } });
    expect(await send()).toMatchObject({ reply: { status: 'queued', decision: null } });
  });

  it('of an auto-approval has its decision again, the same one', async () => {
    const body = bodyOf(project, { confidence: 0.97 });
    const [first, again] = [
      await project.pipeline.submitRaw(body, { idempotencyKey: 'auto' }),
      await project.pipeline.submitRaw(body, { idempotencyKey: 'auto', process: 1 }),
    ];
    expect(first).toMatchObject({ reply: { status: 'auto_approved', decision: { action: 'auto_approve' } } });
    expect(again.text).toBe(first.text);
  });
});
