// The sweep: what has had its time goes, what has not stays.
import { describe, expect, it } from 'vitest';
import { createSession, findSession } from '../../src/usecases/sessions.ts';
import { startSignIn } from '../../src/usecases/sign-in.ts';
import { submit } from '../../src/usecases/submit.ts';
import { KEY_KEPT_MS, sweepOnce } from '../../src/worker/sweep.ts';
import { aScene, aSubmission } from './scene.ts';
import { useServices } from './services.ts';

describe('the sweep', () => {
  const opened = useServices();

  it('keeps an idempotency key for seven days and no longer (I2 holds while it is kept)', async () => {
    const { services, clock } = opened;
    const { pipeline } = await aScene(services);
    const input = { ...aSubmission(), idempotency: { key: 'kept', bodySha256: 'a'.repeat(64) } };
    const first = await submit(services, pipeline, input);
    clock.pass(KEY_KEPT_MS - 1000);
    await sweepOnce(services);
    const again = await submit(services, pipeline, input);
    expect(again).toMatchObject({ replayed: true, item: { id: first.item.id } });
    clock.pass(2000);
    await sweepOnce(services);
    const anew = await submit(services, pipeline, input);
    expect(anew.replayed).toBe(false);
    expect(anew.item.id).not.toBe(first.item.id);
  });

  it('removes sessions that are over and challenges that ran out', async () => {
    const { services, clock, sql } = opened;
    const { owner } = await aScene(services);
    const over = await services.db.write((tx) => createSession(services, tx, owner));
    await startSignIn(services);
    clock.pass(13 * 60 * 60_000);
    const fresh = await services.db.write((tx) => createSession(services, tx, owner));
    await sweepOnce(services);
    expect(await findSession(services, fresh.token)).toMatchObject({ userId: owner.userId });
    expect(await sql('select id from session where id = ?', [over.token.split('.')[0]])).toEqual([]);
    expect(await sql('select id from auth_challenge')).toEqual([]);
  });
});
