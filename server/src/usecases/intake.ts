// The intake: submissions that arrive together commit together, each with its own outcome (decision 0008). Answers leave after the commit.
import { Refusal } from '@countersign/shared/errors';
import type { ActorRef } from '@countersign/shared/events';
import type { Clock, Ids } from '../db/clock.ts';
import { type Database, DatabaseGone, type Tx } from '../db/database.ts';
import { Decision } from '../db/entities/decision.ts';
import { Item } from '../db/entities/item.ts';
import { GroupCommit, type Outcome } from '../db/group-commit.ts';
import {
  type AskedProject,
  enterIntake,
  findKeys,
  insertItems,
  insertKeys,
  type KeyPlace,
  type KeyRow,
  type NewItem,
  placeText,
  readRouting,
} from '../db/submit-batch.ts';
import { archivedRefusal, nothingHere } from './membership.ts';
import { arrivalOf, autoDecision, type SubmitInput, toNewItem } from './new-item.ts';

/** What one request submits: one item or a batch, all or nothing, with what makes its repeat harmless. */
export interface Parcel {
  projectId: string;
  actor: ActorRef;
  /** At least one. */
  items: SubmitInput[];
  once: Once | null;
}

/** An idempotency key (I2). */
export interface Once {
  operation: 'submit' | 'batch' | `inbound:${string}`;
  key: string;
  /** SHA-256 of the body, in hex: the same key with another body is refused. Null where every repeat of the key is harmless. */
  digest: string | null;
  /** Further keys that this message leaves taken. */
  marks?: string[];
}

export interface Stored {
  results: SubmitResult[];
  /** True when an earlier request with the same key made these items. */
  replayed: boolean;
}

/** An item as it was made, or as an earlier request made it and as it is now. */
export interface SubmitResult {
  item: NewItem | Item;
  decision: ReturnType<typeof autoDecision> | Decision;
}

export interface Intake {
  /**
   * Stores a parcel in the order of its items. Errors: `idempotency_key_reused`, `idempotency_in_progress`, `forbidden`
   * (project archived, AR1), `not_found` (deleted, AR2), `unavailable`. Invariant I2: what is returned is committed; one key makes its items once.
   */
  submit(parcel: Parcel): Promise<Stored>;
}

/** How long a repeat waits for the first request with its key before it is told to come back, in milliseconds. */
const IN_FLIGHT_MS = 2000;
const LATER_MS = 20;
const MAX_ENTRIES = 200;
/** Characters in one statement, roughly. */
const MAX_WEIGHT = 4 * 1024 * 1024;
/** While one group waits for the disk the next is made. */
const SLOTS = 2;

interface Entry {
  parcel: Parcel;
  weight: number;
  /** When a repeat gives up waiting, by the process's own monotonic clock. */
  giveUpAt: number;
}

interface IntakeServices {
  db: Database;
  clock: Clock;
  ids: Ids;
}

export function createIntake(services: IntakeServices): Intake {
  const group = new GroupCommit<Entry, Stored>({
    commit: (entries) => services.db.write((tx) => commit(services, tx, entries)),
    meetsAll: (error) => error instanceof DatabaseGone,
    weigh: (entry) => entry.weight,
    maxWeight: MAX_WEIGHT,
    maxEntries: MAX_ENTRIES,
    slots: SLOTS,
    laterMs: LATER_MS,
  });
  return {
    submit: (parcel) => group.add({ parcel, weight: weightOf(parcel), giveUpAt: performance.now() + IN_FLIGHT_MS }),
  };
}

/** Roughly what a row weighs beside its payload. */
const ROW_WEIGHT = 1024;

function weightOf({ items }: Parcel): number {
  const weights = items.map(({ input, suggestion, metadata, riskFlags }) => {
    const payload = input.raw.length + suggestion.raw.length + (metadata?.raw.length ?? 0);
    return ROW_WEIGHT + payload + riskFlags.join('').length;
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}

async function commit(services: IntakeServices, tx: Tx, entries: Entry[]): Promise<Outcome<Stored>[]> {
  const parcels = entries.map(({ parcel }) => parcel);
  const round = new Round(services, await enter(tx, parcels), await readRouting(tx.em, parcels.map(projectOf)));
  const outcomes = entries.map((entry) => round.judge(entry));
  await store(tx, round);
  const earlier = await readEarlier(
    tx,
    outcomes.flatMap((outcome) => (isReplay(outcome) ? outcome.replay : [])),
  );
  return outcomes.map((outcome) => (isReplay(outcome) ? repeatOf(outcome.replay, earlier) : outcome));
}

/** What was sent once stays known when its item is gone (KE4): it makes none again. */
function repeatOf(ids: string[], earlier: Map<string, SubmitResult>): Outcome<Stored> {
  const results = ids.flatMap((id) => earlier.get(id) ?? []);
  return results.length < ids.length ? { refusal: nothingHere() } : { result: { results, replayed: true } };
}

const projectOf = (parcel: Parcel): string => parcel.projectId;

/** Or the items that an earlier request made, still to be read. */
type Judged = Outcome<Stored> | { replay: string[] };
const isReplay = (judged: Judged): judged is { replay: string[] } => typeof judged === 'object' && 'replay' in judged;

interface Keys {
  /** Keys that another transaction is at, by `placeText`. */
  busy: Set<string>;
  taken: Map<string, KeyRow>;
}

/** One group on its way: who is new, who repeats whom. */
class Round {
  readonly items: { item: NewItem; actor: ActorRef }[] = [];
  readonly keys: KeyRow[] = [];
  readonly now: Date;
  readonly #services: IntakeServices;
  readonly #known: Keys;
  readonly #projects: Map<string, AskedProject>;
  /** Keys taken in this very group: a twin gets what the first one gets. */
  readonly #firsts = new Map<string, { digest: string | null; stored: Stored }>();

  constructor(services: IntakeServices, known: Keys, projects: Map<string, AskedProject>) {
    this.#services = services;
    this.#known = known;
    this.#projects = projects;
    this.now = services.clock.now();
  }

  judge({ parcel, giveUpAt }: Entry): Judged {
    const places = placesOf(parcel).map(placeText);
    if (places.some((place) => this.#known.busy.has(place))) {
      return performance.now() < giveUpAt ? 'later' : { refusal: inProgress() };
    }
    const [place] = places;
    const digest = parcel.once?.digest ?? null;
    const taken = place === undefined ? undefined : this.#known.taken.get(place);
    if (taken) return taken.bodySha256 === digest ? { replay: taken.itemIds } : { refusal: reused() };
    const twin = place === undefined ? undefined : this.#firsts.get(place);
    if (twin) return twin.digest === digest ? { result: { ...twin.stored, replayed: true } } : { refusal: reused() };
    const project = this.#projects.get(parcel.projectId);
    if (project === undefined) return { refusal: nothingHere() };
    return project.archived ? { refusal: archivedRefusal() } : { result: this.#make(parcel, project) };
  }

  #make(parcel: Parcel, project: AskedProject): Stored {
    const made = { ids: this.#services.ids, now: this.now };
    const items = parcel.items.map((input) => toNewItem(input, project, made));
    for (const item of items) this.items.push({ item, actor: parcel.actor });
    const stored = { results: items.map((item) => ({ item, decision: autoDecision(item) })), replayed: false };
    const digest = parcel.once?.digest ?? null;
    const itemIds = items.map(({ id }) => id);
    for (const place of placesOf(parcel)) {
      this.keys.push({ ...place, bodySha256: digest, itemIds });
      const text = placeText(place);
      if (!this.#firsts.has(text)) this.#firsts.set(text, { digest, stored });
    }
    return stored;
  }
}

/** The keys of a parcel; the first is its own, the others are marks it leaves. */
function placesOf({ projectId, once }: Parcel): KeyPlace[] {
  if (once === null) return [];
  return [once.key, ...(once.marks ?? [])].map((key) => ({ projectId, operation: once.operation, key }));
}

/** What is read after it sees everything that was committed before the locks were had. */
async function enter({ em }: Tx, parcels: Parcel[]): Promise<Keys> {
  const places = parcels.flatMap(placesOf);
  const busy = await enterIntake(em, parcels.map(projectOf), places);
  return { busy, taken: places.length === 0 ? new Map<string, KeyRow>() : await findKeys(em, places) };
}

async function store({ em, record }: Tx, { items, keys, now }: Round): Promise<void> {
  if (items.length === 0) return;
  await insertItems(
    em,
    items.map(({ item }) => item),
  );
  if (keys.length > 0) await insertKeys(em, keys, now);
  for (const { item, actor } of items) record(arrivalOf(item, actor));
}

/** Items that were there before, as they are now. */
async function readEarlier({ em }: Tx, ids: string[]): Promise<Map<string, SubmitResult>> {
  if (ids.length === 0) return new Map();
  const items = await em.find(Item, { id: { $in: ids } });
  const decisions = await em.find(Decision, { itemId: { $in: ids }, audit: false });
  const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
  return new Map(items.map((item) => [item.id, { item, decision: byItem.get(item.id) ?? null }]));
}

const inProgress = () =>
  new Refusal('idempotency_in_progress', 'Send the same request again in a second.', { retryAfter: 1 });
const reused = () => new Refusal('idempotency_key_reused', 'Use a new Idempotency-Key for another body.');
