// Tests one person in two browsers: one ends the other's session, and its sockets close in every process.
import { describe, expect, it } from 'vitest';
import { endOneSession, endOtherSessions, listSessions, readSession } from '@countersign/shared/routes/session';
import { makeWallet, people, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

describe('A4: two browsers of one person', () => {
  it('ending the other’s session closes its sockets, at the other process too', async () => {
    const here = await person(testEnv);
    const there = await person(testEnv, here.wallet, { process: 1, headers: { 'user-agent': CHROME } });
    const [stranger] = await people(testEnv, 1);
    if (stranger === undefined) throw new Error('Nobody came.');
    const theirs = [await connectLive(there), await connectLive(there, { process: 1 })];
    const others = [await connectLive(here, { process: 1 }), await connectLive(stranger, { process: 1 })];

    const { data } = await here.call(listSessions);
    const other = data.find(({ current }) => !current);
    expect(other).toMatchObject({ device: 'Chrome on Linux', created_at: other?.last_seen_at });
    await here.call(endOneSession, { params: { id: other?.id ?? '' } });
    // They are notified: the sweep over sessions runs only once a minute.
    expect(await Promise.all(theirs.map((live) => live.closed()))).toEqual(Array(2).fill('io server disconnect'));
    for (const process of [0, 1]) await there.refused('session_missing', readSession, {}, { process });
    await expect(connectLive(there, { process: 1 })).rejects.toThrow('session_missing');
    expect(others.map((live) => live.isOpen())).toEqual([true, true]);
    for (const live of others) live.close();
  });

  it('ending all others leaves the current one', async () => {
    const wallet = makeWallet();
    const [here, second, third] = [
      await person(testEnv, wallet),
      await person(testEnv, wallet),
      await person(testEnv, wallet, { process: 1 }),
    ];
    const [own, ...rest] = [
      await connectLive(here, { process: 1 }),
      await connectLive(second),
      await connectLive(third, { process: 1 }),
    ];
    await here.call(endOtherSessions, {}, { process: 1 });
    expect(await Promise.all(rest.map((live) => live.closed()))).toEqual(Array(2).fill('io server disconnect'));
    expect((await here.call(listSessions)).data).toMatchObject([{ current: true }]);
    expect(own.isOpen()).toBe(true);
    own.close();
  });
});
