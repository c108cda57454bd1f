// What the processes tell each other of who is online: each its own part, on change and again with every beat.
import { z } from 'zod';
import type { PresenceChange } from '@countersign/shared/sockets';
import type { PresenceRegistry } from './presence-registry.ts';
import type { LiveServer } from '../rooms.ts';

/** How often a process says everything it knows of itself, in milliseconds: what was lost on the way is mended then. */
export const HEARTBEAT_MS = 2000;
/** A process not heard of for this many ms is gone: killed, or cut off with Redis. */
export const PEER_TIMEOUT_MS = 3 * HEARTBEAT_MS + 500;

/** The way to the other processes. What is said while it is cut is lost. */
export interface PresenceChannel {
  publish(message: Message): void;
  /** Hears what the others say, as it arrives. */
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
  /** Is this everything, or what changed? */
  snapshot: z.boolean(),
  changes: z.array(
    z.object({ project_id: z.string(), snapshot: z.boolean(), online: z.array(present), left: z.array(z.string()) }),
  ),
});
export type Message = z.infer<typeof message>;

/** Over Redis, beside the adapter's own messages; silent while there is no connection. */
export function redisLink(io: LiveServer, pub: { readonly isReady: boolean }): PresenceChannel {
  return {
    publish: (messageOut) => {
      if (pub.isReady) io.serverSideEmit('presence_part', messageOut);
    },
    subscribe: (listener) => void io.on('presence_part', listener),
  };
}

/** Keeps the parts of the other processes in the crowd: `onNews` when one may have changed it. */
export class PresenceSync {
  readonly #own: string;
  readonly #lastSeenAt = new Map<string, number>();
  readonly #link: PresenceChannel | null;
  readonly #registry: PresenceRegistry;
  #publishedAt = -Infinity;

  constructor(own: string, { link, registry, onChange, now }: PresenceSyncOptions) {
    this.#own = own;
    this.#link = link;
    this.#registry = registry;
    link?.subscribe((received) => {
      const parsed = message.safeParse(received);
      if (!parsed.success || parsed.data.process === own) return;
      // Whoever is new here has heard nothing of us: everything is said again with the run this brings about.
      if (!this.#lastSeenAt.has(parsed.data.process)) this.#publishedAt = -Infinity;
      this.#lastSeenAt.set(parsed.data.process, now());
      this.#take(parsed.data);
      onChange();
    });
  }

  /** Tells the others what changed here. */
  publish(changes: PresenceChange[]): void {
    if (changes.length > 0) this.#link?.publish({ process: this.#own, snapshot: false, changes });
  }

  /** When it is time: tells the others everything, and drops those that have gone silent. */
  heartbeat(now: number, snapshot: () => PresenceChange[]): void {
    for (const [process, at] of this.#lastSeenAt) {
      if (now - at < PEER_TIMEOUT_MS) continue;
      this.#lastSeenAt.delete(process);
      this.#registry.replace(process, []);
    }
    if (this.#link === null || now - this.#publishedAt < HEARTBEAT_MS) return;
    this.#publishedAt = now;
    this.#link.publish({ process: this.#own, snapshot: true, changes: snapshot() });
  }

  /** The last word: nobody is here any more. */
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
  now: () => number;
}
