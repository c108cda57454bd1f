// Says which entry of a list each entry of its edited copy comes from (TS4). Pure.
import type { Json } from '@countersign/shared/json/json';
import { kindOf, printJson } from './lossless.ts';

/**
 * For each edited entry the index of the one before it: the same one, wherever it moved to, else the next of its kind that
 * is unpaired. Undefined for an entry that is new. Equal entries have the same order of keys and the same text of numbers.
 */
export function entryPairs(before: readonly Json[], edited: readonly Json[]): (number | undefined)[] {
  const [was, is] = [before.map(compact), edited.map(compact)];
  const unpaired = new Unpaired(before.length);
  const pairs = is.map((text, at) => (was[at] === text ? unpaired.take(at) : undefined));
  const sameTexts = unpaired.queuesBy(was);
  for (const [at, text] of is.entries()) pairs[at] ??= sameTexts.next(text);
  const isSameLength = before.length === edited.length;
  const kinds = before.map(kindOf);
  const sameKinds = unpaired.queuesBy(kinds);
  for (const [at, value] of edited.entries()) {
    const kind = kindOf(value);
    const inPlace = isSameLength || kinds[at] === kind;
    pairs[at] ??= (inPlace ? unpaired.take(at) : undefined) ?? sameKinds.next(kind);
  }
  return pairs;
}

const compact = (value: Json): string => printJson(value, 0);

/** The entries that no other is paired with yet, by index. */
class Unpaired {
  readonly #isUnpaired: boolean[];

  constructor(size: number) {
    this.#isUnpaired = Array.from({ length: size }, () => true);
  }

  /** Takes the entry at the index; undefined where it is taken already, or there is none. */
  take(at: number): number | undefined {
    if (this.#isUnpaired[at] !== true) return undefined;
    this.#isUnpaired[at] = false;
    return at;
  }

  /** The unpaired entries, in queues by a key of each; `next` takes the first of its queue that is still unpaired. */
  queuesBy(keys: readonly string[]): { next: (key: string) => number | undefined } {
    const queues = new Map<string, { readonly entries: number[]; from: number }>();
    for (const [at, key] of keys.entries()) {
      if (this.#isUnpaired[at] !== true) continue;
      const queue = queues.get(key);
      if (queue === undefined) queues.set(key, { entries: [at], from: 0 });
      else queue.entries.push(at);
    }
    return { next: (key) => this.#nextOf(queues.get(key)) };
  }

  #nextOf(queue: { readonly entries: readonly number[]; from: number } | undefined): number | undefined {
    while (queue !== undefined && queue.from < queue.entries.length) {
      const taken = this.take(queue.entries[queue.from] ?? -1);
      queue.from += 1;
      if (taken !== undefined) return taken;
    }
    return undefined;
  }
}
