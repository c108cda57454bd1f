// Synchronizes presence between processes: each reports its own part, on change and in full with every heartbeat.
import { z } from 'zod';
import type { PresenceChange } from '@countersign/shared/sockets';
import type { PresenceRegistry } from './presence-registry.ts';
import type { LiveServer } from '../rooms.ts';

/** The interval at which a process reports its full presence, in milliseconds, which repairs lost messages. */
export const HEARTBEAT_MS = 2000;
/** A process that is silent for this many ms is gone: killed, or disconnected from Redis. */
export const PEER_TIMEOUT_MS = 3 * HEARTBEAT_MS + 500;

/** The channel to the other processes. Messages sent while it is down are lost. */
export interface PresenceChannel {
  publish(message: Message): void;
  /** Receives the messages of the others. */
  subscribe(listener: (message: unknown) => void): void;
}

const present = z.object({
  user_id: z.string(),
  name: z.string(),
  idle: z.boolean(),
  viewing: z.array(z.string()),
});
const message = z.object({
  process: z.string(),
  /** Whether this is the full presence or a change. */
  snapshot: z.boolean(),
  changes: z.array(
    z.object({ project_id: z.string(), snapshot: z.boolean(), online: z.array(present), left: z.array(z.string()) }),
  ),
});
export type Message = z.infer<typeof message>;

/** Over Redis, next to the adapter's own messages; silent without a connection. */
export function redisLink(io: LiveServer, pub: { readonly isReady: boolean }): PresenceChannel {
  return {
    publish: (messageOut) => {
      if (pub.isReady) io.serverSideEmit('presence_part', messageOut);
    },
    subscribe: (listener) => void io.on('presence_part', listener),
  };
}

/** Maintains the parts of the other processes in the registry: calls `onChange` when one may have changed it. */
export class PresenceSync {
  readonly #own: string;
  readonly #lastSeenAt = new Map<string, number>();
  readonly #link: PresenceChannel | null;
  readonly #registry: PresenceRegistry;
  readonly #now: () => number;
  #publishedAt = -Infinity;

  constructor(own: string, { link, registry, onChange, now }: PresenceSyncOptions) {
    this.#own = own;
    this.#link = link;
    this.#registry = registry;
    this.#now = now;
    link?.subscribe((received) => {
      const parsed = message.safeParse(received);
      if (!parsed.success || parsed.data.process === own) return;
      // A new process has received nothing from us: the run that this triggers reports everything again.
      if (!this.#lastSeenAt.has(parsed.data.process)) this.#publishedAt = -Infinity;
      this.#lastSeenAt.set(parsed.data.process, now());
      this.#take(parsed.data);
      onChange();
    });
  }

  /** Reports changes to the other processes. */
  publish(changes: PresenceChange[]): void {
    if (changes.length > 0) this.#link?.publish({ process: this.#own, snapshot: false, changes });
  }

  /** When it is due: reports the full presence, and drops processes that have gone silent. */
  heartbeat(snapshot: () => PresenceChange[]): void {
    const now = this.#now();
    for (const [process, at] of this.#lastSeenAt) {
      if (now - at < PEER_TIMEOUT_MS) continue;
      this.#lastSeenAt.delete(process);
      this.#registry.replace(process, []);
    }
    if (this.#link === null || now - this.#publishedAt < HEARTBEAT_MS) return;
    this.#publishedAt = now;
    this.#link.publish({ process: this.#own, snapshot: true, changes: snapshot() });
  }

  /** The last message: nobody is here any longer. */
  leave(): void {
    this.#link?.publish({ process: this.#own, snapshot: true, changes: [] });
  }

  #take({ process, snapshot, changes }: Message): void {
    if (snapshot) this.#registry.replace(process, changes);
    else for (const change of changes) this.#registry.take(process, change);
  }
}

interface PresenceSyncOptions {
  link: PresenceChannel | null;
  registry: PresenceRegistry;
  onChange: () => void;
  /** In ms, of a clock that never goes back: by another, heartbeats would stop until it has caught up. */
  now: () => number;
}
