// What the processes tell each other of who is online: each its own part, on change and again with every beat.
import { z } from 'zod';
import type { PresenceChange } from '@countersign/shared/sockets';
import type { Crowd } from './crowd.ts';
import type { LiveServer } from './rooms.ts';

/** How often a process says everything it knows of itself, in milliseconds: what was lost on the way is mended then. */
export const BEAT_MS = 2000;
/** A process not heard of for this many ms is gone: killed, or cut off with Redis. */
export const SILENT_MS = 3 * BEAT_MS + 500;

/** The way to the other processes. What is said while it is cut is lost. */
export interface Link {
  say(message: Message): void;
  /** Hears what the others say, as it arrives. */
  hear(listener: (message: unknown) => void): void;
}

const present = z.object({
  user_id: z.string(),
  name: z.string(),
  idle: z.boolean(),
  looks_at: z.array(z.string()),
});
const message = z.object({
  process: z.string(),
  /** Is this everything, or what changed? */
  whole: z.boolean(),
  changes: z.array(
    z.object({ project_id: z.string(), whole: z.boolean(), here: z.array(present), left: z.array(z.string()) }),
  ),
});
export type Message = z.infer<typeof message>;

/** Over Redis, beside the adapter's own messages; silent while there is no connection. */
export function redisLink(io: LiveServer, pub: { readonly isReady: boolean }): Link {
  return {
    say: (told) => {
      if (pub.isReady) io.serverSideEmit('presence_part', told);
    },
    hear: (listener) => void io.on('presence_part', listener),
  };
}

/** Keeps the parts of the other processes in the crowd: `onNews` when one may have changed it. */
export class Neighbours {
  readonly #own: string;
  readonly #heardAt = new Map<string, number>();
  readonly #link: Link | null;
  readonly #crowd: Crowd;
  #saidAt = -Infinity;

  constructor(own: string, { link, crowd, onNews, now }: Surroundings) {
    this.#own = own;
    this.#link = link;
    this.#crowd = crowd;
    link?.hear((heard) => {
      const parsed = message.safeParse(heard);
      if (!parsed.success || parsed.data.process === own) return;
      // Whoever is new here has heard nothing of us: everything is said again with the run this brings about.
      if (!this.#heardAt.has(parsed.data.process)) this.#saidAt = -Infinity;
      this.#heardAt.set(parsed.data.process, now());
      this.#take(parsed.data);
      onNews();
    });
  }

  /** Tells the others what changed here. */
  say(changes: PresenceChange[]): void {
    if (changes.length > 0) this.#link?.say({ process: this.#own, whole: false, changes });
  }

  /** When it is time: tells the others everything, and drops those that have gone silent. */
  beat(now: number, whole: () => PresenceChange[]): void {
    for (const [process, at] of this.#heardAt) {
      if (now - at < SILENT_MS) continue;
      this.#heardAt.delete(process);
      this.#crowd.replace(process, []);
    }
    if (this.#link === null || now - this.#saidAt < BEAT_MS) return;
    this.#saidAt = now;
    this.#link.say({ process: this.#own, whole: true, changes: whole() });
  }

  /** The last word: nobody is here any more. */
  leave(): void {
    this.#link?.say({ process: this.#own, whole: true, changes: [] });
  }

  #take({ process, whole, changes }: Message): void {
    if (whole) this.#crowd.replace(process, changes);
    else for (const change of changes) this.#crowd.take(process, change);
  }
}

interface Surroundings {
  link: Link | null;
  crowd: Crowd;
  onNews: () => void;
  now: () => number;
}
