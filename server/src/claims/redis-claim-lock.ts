// The claim lock in Redis, shared by all processes: one key per held item, compared and changed by atomic scripts.
import { z } from 'zod';
import { type ClaimLock, type HeldClaim, type Holder, LockStoreDown } from './claim-lock.ts';

/** What the lock needs of a node-redis client. */
export interface LockClient {
  readonly isReady: boolean;
  readonly isOpen: boolean;
  withCommandOptions(options: { timeout: number }): {
    eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  };
  on(event: 'error', listener: (error: unknown) => void): unknown;
  close(): Promise<unknown>;
  destroy(): void;
}

/** The default timeout of one call, in ms. */
const CALL_MS = 500;

interface Options {
  /** The timeout of one call, in ms. */
  withinMs?: number;
}

/** KEYS[1] the item; ARGV value, ms. Returns nothing when acquired, else the present value and its remaining ms. */
const ACQUIRE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return {} end
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }`;

/** KEYS[1] the item; ARGV confirmed value with the fence, provisional value, ms. */
const RENEW = `
local value = redis.call('GET', KEYS[1])
if value ~= ARGV[1] and value ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1`;

/** KEYS[1] the item; ARGV confirmed value with the fence, provisional value. */
const RELEASE = `
local value = redis.call('GET', KEYS[1])
if value ~= ARGV[1] and value ~= ARGV[2] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** KEYS the items. Returns three replies per held item: its index in KEYS, the value, remaining ms. */
const HOLDERS = `
local found = {}
for place, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  if value then
    found[#found + 1] = place
    found[#found + 1] = value
    found[#found + 1] = redis.call('PTTL', key)
  end
end
return found`;

const acquireReply = z.union([z.tuple([]), z.tuple([z.string(), z.number()])]);
const changedReply = z.literal([0, 1]).transform((count) => count === 1);
const holdersReply = z.array(z.union([z.string(), z.number()]));
const holderTriple = z.tuple([z.number(), z.string(), z.number()]);

type Run = <T>(script: string, call: { itemIds: readonly string[]; args: string[]; reply: z.ZodType<T> }) => Promise<T>;

/** The lock on a connected node-redis client, which `close` closes. Keys are `<prefix>claim:<item>`, values `<fence>:<user>`. */
export function createRedisClaimLock(
  client: LockClient,
  prefix = 'countersign:',
  { withinMs = CALL_MS }: Options = {},
): ClaimLock {
  // A client without an error listener ends the process when its connection breaks; here every call reports that error.
  client.on('error', () => undefined);
  const run = scriptRunner(client, { prefix, withinMs });

  return {
    async acquire(itemId, userId, ms) {
      const args = [valueOf({ userId, fence: 0 }), wholeMs(ms)];
      const taken = await run(ACQUIRE, { itemIds: [itemId], args, reply: acquireReply });
      if (taken.length === 0) return { acquired: true };
      const [value, leftMs] = taken;
      return { acquired: false, holder: readHolder(value, leftMs) };
    },
    async renew(held) {
      const args = [...bothValues(held), wholeMs(held.ms)];
      const renewed = await run(RENEW, { itemIds: [held.itemId], args, reply: changedReply });
      return renewed ? { userId: held.userId, fence: held.fence, leftMs: held.ms } : null;
    },
    async release(held) {
      return run(RELEASE, { itemIds: [held.itemId], args: bothValues(held), reply: changedReply });
    },
    async holders(itemIds) {
      if (itemIds.length === 0) return new Map();
      const flat = await run(HOLDERS, { itemIds, args: [], reply: holdersReply });
      return new Map(
        inThrees(flat).flatMap(([place, value, leftMs]): [string, Holder][] => {
          const itemId = itemIds[place - 1];
          return itemId === undefined ? [] : [[itemId, readHolder(value, leftMs)]];
        }),
      );
    },
    close: () => closeSoon(client, withinMs),
  };
}

function scriptRunner(client: LockClient, { prefix, withinMs }: { prefix: string; withinMs: number }): Run {
  // The client's own timeout removes a command that was never sent, so that it does not run after a reconnect.
  const commands = client.withCommandOptions({ timeout: withinMs });
  return async (script, { itemIds, args, reply }) => {
    const keys = itemIds.map((itemId) => `${prefix}claim:${itemId}`);
    const ask = () => commands.eval(script, { keys, arguments: args });
    return reply.parse(await bounded(ask, { client, withinMs }));
  };
}

/** Lets pending commands finish, within the timeout of one call. */
async function closeSoon(client: LockClient, withinMs: number): Promise<void> {
  if (client.isReady) await bounded(() => client.close(), { client, withinMs }).catch(() => undefined);
  if (client.isOpen) client.destroy();
}

/** Returns the reply in time or throws `LockStoreDown`; without a connection it fails immediately. */
async function bounded<T>(
  ask: () => Promise<T>,
  { client, withinMs }: { client: LockClient; withinMs: number },
): Promise<T> {
  if (!client.isReady) throw new LockStoreDown('The lock store is not connected');
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No answer within ${withinMs} ms`)), withinMs);
  try {
    return await Promise.race([ask(), tooLate]);
  } catch (cause) {
    throw new LockStoreDown('The lock store did not answer', { cause });
  } finally {
    clearTimeout(timer);
  }
}

function valueOf({ userId, fence }: { userId: string; fence: number }): string {
  return `${fence}:${userId}`;
}

/** The values that the key may hold: confirmed, and still provisional. */
function bothValues(held: HeldClaim): [string, string] {
  return [valueOf(held), valueOf({ userId: held.userId, fence: 0 })];
}

function readHolder(value: string, leftMs: number): Holder {
  const colon = value.indexOf(':');
  return { userId: value.slice(colon + 1), fence: Number(value.slice(0, colon)), leftMs };
}

/** Redis accepts whole milliseconds of at least 1. */
function wholeMs(ms: number): string {
  return String(Math.max(1, Math.round(ms)));
}

function inThrees(flat: readonly unknown[]): [number, string, number][] {
  return Array.from({ length: flat.length / 3 }, (_, index) =>
    holderTriple.parse(flat.slice(index * 3, index * 3 + 3)),
  );
}
