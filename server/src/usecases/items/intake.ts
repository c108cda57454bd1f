// The intake: concurrent submissions share a commit, each with its own outcome (decision 0008).
import { Refusal } from '@countersign/shared/errors';
import type { ActorRef } from '@countersign/shared/schemas/parts/events';
import type { Clock, Ids } from '../../db/clock.ts';
import { type Database, DatabaseGone, type Tx } from '../../db/database.ts';
import { Decision } from '../../db/entities/decision.ts';
import { Item } from '../../db/entities/item.ts';
import { GroupCommit, type Outcome } from '../../db/group-commit.ts';
import {
  type SubmissionProject,
  lockIntakeShared,
  findKeys,
  insertItems,
  insertKeys,
  insertSchemas,
  type KeyId,
  type KeyRow,
  type NewItem,
  type SchemaText,
  keyIdText,
  readRouting,
  REFUSED,
} from '../../db/submit-batch.ts';
import { archivedRefusal, notFound } from '../access/membership.ts';
import { createYielder, waitForTurn } from '../yield-to-event-loop.ts';
import { type AnswerSchema, compiledSchema, judge, loadAnswerSchema, type SchemaCheck } from './answer-schemas.ts';
import { deadlineFault } from '../../domain/items/deadline.ts';
import { arrivalOf, autoDecision, type SubmitInput, toNewItem } from './new-item.ts';

/** What one request submits: one item or a batch, all or nothing, with an optional idempotency key. */
export interface Submission {
  projectId: string;
  actor: ActorRef;
  /** Without any, only the idempotency key is checked. */
  items: SubmitInput[];
  idempotency: IdempotencyKey | null;
}

/** An idempotency key (I2). */
export interface IdempotencyKey {
  operation: 'submit' | 'batch' | `inbound:${string}`;
  key: string;
  /** SHA-256 of the body, in hex: the same key with another body is refused. Null where every repeat of the key is accepted. */
  digest: string | null;
  /** Further keys under which this message is known. */
  extraKeys?: string[];
}

export interface Stored {
  /** The stored items, in the order of the submission. */
  results: SubmitResult[];
  /** By index: items whose deadline is not possible (DL6). The others are stored. */
  refused?: ReadonlyMap<number, Refusal>;
  /** True when an earlier request with the same key created these items. */
  replayed: boolean;
}

/** The result of a submission of one item. Errors: `validation_failed` where its deadline is not possible (DL6). */
export function onlyResult({ results: [result], refused }: Stored): SubmitResult {
  const refusal = refused?.get(0);
  if (refusal !== undefined) throw refusal;
  if (result === undefined) throw new Error('The intake returned no item for a submission');
  return result;
}

/** An item as it was just created, or the present state of an item of an earlier request. */
export interface SubmitResult {
  item: NewItem | Item;
  decision: ReturnType<typeof autoDecision> | Decision;
}

export interface Intake {
  /**
   * Stores a submission in the order of its items. Errors: `idempotency_key_reused`,
   * `idempotency_in_progress`, `forbidden` (project archived, AR1), `not_found` (deleted, AR2),
   * `unavailable`. Invariant I2: what is returned is committed; one key creates its items once.
   */
  submit(submission: Submission): Promise<Stored>;
}

/** How long a repeat waits for the first request with its key before it is refused, in milliseconds. */
const IN_FLIGHT_MS = 2000;
const LATER_MS = 20;
const MAX_ENTRIES = 200;
/** The approximate number of characters in one statement. */
const MAX_WEIGHT = 4 * 1024 * 1024;
/** The next group is prepared while one waits for the disk. */
const MAX_CONCURRENT_GROUPS = 2;

interface Entry {
  submission: Submission;
  /** Of each item, by its own schema or by what was known to be the project's; empty where there is none. */
  checks: readonly (SchemaCheck | null)[];
  weight: number;
  /** When a repeat stops waiting, by the process's monotonic clock. */
  giveUpAt: number;
}

interface IntakeServices {
  db: Database;
  clock: Clock;
  ids: Ids;
}

export function createIntake(services: IntakeServices): Intake {
  /** The digest of the schema that each project had lately, by which items are judged before the transaction. */
  const known = new Map<string, string>();
  const group = new GroupCommit<Entry, Stored | Unjudged>({
    commit: async (entries) => {
      // Shared by several callers, so it waits for no slot of one (RL11).
      const write = () => services.db.write((tx) => commit(services, tx, entries));
      const { answers, schemaless } = await services.db.forOwner(null, write);
      for (const projectId of schemaless) known.delete(projectId);
      return answers;
    },
    meetsAll: (error) => error instanceof DatabaseGone,
    weigh: (entry) => entry.weight,
    maxWeight: MAX_WEIGHT,
    maxEntries: MAX_ENTRIES,
    concurrency: MAX_CONCURRENT_GROUPS,
    laterMs: LATER_MS,
  });
  const add = (submission: Submission, checks: Entry['checks']) =>
    group.add({ submission, checks, weight: weightOf(submission), giveUpAt: performance.now() + IN_FLIGHT_MS });
  return {
    submit: async (submission) => {
      const digest = known.get(submission.projectId);
      let schema = digest === undefined ? null : compiledSchema(digest);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const answer = await add(submission, await judgeAll(submission, schema));
        if (!isUnjudged(answer)) return answer;
        schema = answer.unjudged;
        setKnown(known, submission.projectId, schema.digest);
      }
      throw new Refusal('unavailable', 'The answer schema of the project keeps changing.', { retryAfter: 1 });
    },
  };
}

/** Nothing was stored: the project has this schema, by which the items are to be judged first. */
interface Unjudged {
  unjudged: AnswerSchema;
}
const isUnjudged = (answer: Stored | Unjudged): answer is Unjudged => 'unjudged' in answer;

/** How often a submission is judged, where the schema of its project changed meanwhile. */
const MAX_ROUNDS = 5;

/** Projects whose digest is remembered. */
const MAX_KNOWN = 10_000;

function setKnown(known: Map<string, string>, projectId: string, digest: string): void {
  known.delete(projectId);
  known.set(projectId, digest);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}

/** Outside of any transaction, item by item: a batch blocks the event loop no longer than its slowest item. */
async function judgeAll({ items }: Submission, ofProject: AnswerSchema | null): Promise<Entry['checks']> {
  if (ofProject === null && items.every(({ answerSchema }) => !answerSchema)) return [];
  // Its JSON was read, and its schema compiled, in the turn that ends here.
  await waitForTurn();
  const yieldToEventLoop = createYielder();
  const checks: (SchemaCheck | null)[] = [];
  for (const { answerSchema, suggestion, kind = 'answer' } of items) {
    const schema = answerSchema === undefined ? ofProject : answerSchema;
    checks.push(schema && judge(schema, { kind, text: suggestion.raw }));
    await yieldToEventLoop();
  }
  return checks;
}

/** The approximate size of a row without its payload. */
const ROW_WEIGHT = 1024;

function weightOf({ items }: Submission): number {
  const weights = items.map(({ input, suggestion, metadata, riskFlags, answerSchema }) => {
    const texts = [input.raw, suggestion.raw, metadata?.raw, answerSchema?.text];
    const payload = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    return ROW_WEIGHT + payload + riskFlags.join('').length;
  });
  return weights.reduce((sum, weight) => sum + weight, 0);
}

interface Committed {
  answers: Outcome<Stored | Unjudged>[];
  /** Projects that have no schema. */
  schemaless: Iterable<string>;
}

async function commit(services: IntakeServices, tx: Tx, entries: Entry[]): Promise<Committed> {
  const submissions = entries.map(({ submission }) => submission);
  const batch = new Batch(services, await enter(tx, submissions), await readRouting(tx.em, submissions.map(projectOf)));
  const outcomes = entries.map((entry) => batch.evaluate(entry));
  await store(tx, batch);
  const earlier = await readEarlier(
    tx,
    outcomes.flatMap((outcome) => (isReplay(outcome) ? outcome.replay : [])),
  );
  const answers: Outcome<Stored | Unjudged>[] = [];
  for (const outcome of outcomes) {
    if (isReplay(outcome)) answers.push(repeatOf(outcome, earlier));
    else if (isToJudge(outcome)) answers.push({ result: { unjudged: await loadAnswerSchema(tx.em, outcome.toJudge) } });
    else answers.push(outcome);
  }
  return { answers, schemaless: batch.schemaless };
}

/** An idempotency key is still known after its item was deleted (KE4): it creates no new one. */
function repeatOf({ replay: ids, of }: Replay, earlier: Map<string, SubmitResult>): Outcome<Stored> {
  const results = ids.flatMap((id) => earlier.get(id) ?? []);
  const refused = new Map(
    ids.flatMap((id, index) => (id === REFUSED ? [[index, refusedBefore(of.items[index])] as const] : [])),
  );
  if (results.length + refused.size < ids.length) return { refusal: notFound() };
  return { result: { results, ...(refused.size > 0 && { refused }), replayed: true } };
}

function refusedBefore(item: SubmitInput | undefined): Refusal {
  const detail =
    'The deadline was invalid when this request was first sent. Send the item with a valid deadline and another idempotency key.';
  return impossibleDeadline(item?.deadline?.pointer ?? '#', detail);
}

function impossibleDeadline(pointer: string, detail: string): Refusal {
  return new Refusal('validation_failed', detail, { errors: [{ pointer, code: 'deadline', detail }] });
}

const projectOf = (submission: Submission): string => submission.projectId;

/** An outcome; the ids of items that an earlier request created; or the schema by which the items are to be judged. */
type Evaluated = Outcome<Stored> | Replay | ToJudge;
interface Replay {
  replay: string[];
  /** The same submission again. */
  of: Submission;
}
interface ToJudge {
  toJudge: { projectId: string; digest: string };
}
const isReplay = (evaluated: Evaluated): evaluated is Replay => typeof evaluated === 'object' && 'replay' in evaluated;
const isToJudge = (evaluated: Evaluated | Entry['checks']): evaluated is ToJudge =>
  typeof evaluated === 'object' && 'toJudge' in evaluated;

interface Keys {
  /** Keys that another transaction has locked, by `keyIdText`. */
  busy: Set<string>;
  taken: Map<string, KeyRow>;
}

/** One group of submissions: decides which are new, and which repeat which. */
class Batch {
  readonly items: { item: NewItem; actor: ActorRef }[] = [];
  /** By project and digest. */
  readonly schemas = new Map<string, SchemaText>();
  readonly keys: KeyRow[] = [];
  /** Projects of these submissions that have no schema. */
  readonly schemaless = new Set<string>();
  readonly now: Date;
  readonly #services: IntakeServices;
  readonly #known: Keys;
  readonly #projects: Map<string, SubmissionProject>;
  /** Keys taken in this group: a repeat in the same group gets the result of the first one. */
  readonly #firsts = new Map<string, { digest: string | null; stored: Stored }>();

  constructor(services: IntakeServices, known: Keys, projects: Map<string, SubmissionProject>) {
    this.#services = services;
    this.#known = known;
    this.#projects = projects;
    this.now = services.clock.now();
  }

  evaluate(entry: Entry): Evaluated {
    const { submission, giveUpAt } = entry;
    const keyIds = keyIdsOf(submission).map(keyIdText);
    if (keyIds.some((keyId) => this.#known.busy.has(keyId))) {
      return performance.now() < giveUpAt ? 'later' : { refusal: inProgress() };
    }
    const [keyId] = keyIds;
    const digest = submission.idempotency?.digest ?? null;
    const taken = keyId === undefined ? undefined : this.#known.taken.get(keyId);
    if (taken) return taken.bodySha256 === digest ? { replay: taken.itemIds, of: submission } : { refusal: reused() };
    const twin = keyId === undefined ? undefined : this.#firsts.get(keyId);
    if (twin) return twin.digest === digest ? { result: { ...twin.stored, replayed: true } } : { refusal: reused() };
    const project = this.#projects.get(submission.projectId);
    if (project === undefined) return { refusal: notFound() };
    if (project.archived) return { refusal: archivedRefusal() };
    if (project.answer_schema_digest === null) this.schemaless.add(project.id);
    const checks = checksOf(entry, project);
    if (isToJudge(checks)) return checks;
    const refused = impossibleItems(submission, new Date(project.clock));
    // Nothing is left to store, and the key stays free for a corrected request.
    if (refused.size === submission.items.length) return { result: { results: [], refused, replayed: false } };
    return { result: this.#make(submission, project, { checks, refused }) };
  }

  #make(
    submission: Submission,
    project: SubmissionProject,
    { checks, refused }: { checks: readonly (SchemaCheck | null)[]; refused: ReadonlyMap<number, Refusal> },
  ): Stored {
    const made = { ids: this.#services.ids, now: this.now };
    const perItem = submission.items.map((input, index) =>
      refused.has(index) ? null : toNewItem(input, project, { ...made, check: checks[index] ?? null }),
    );
    const items = perItem.filter((item) => item !== null);
    this.#addSchemas(
      submission.items.filter((_, index) => !refused.has(index)),
      project.id,
    );
    for (const item of items) this.items.push({ item, actor: submission.actor });
    const results = items.map((item) => ({ item, decision: autoDecision(item) }));
    const stored = { results, ...(refused.size > 0 && { refused }), replayed: false };
    const digest = submission.idempotency?.digest ?? null;
    const itemIds = perItem.map((item) => item?.id ?? REFUSED);
    for (const keyId of keyIdsOf(submission)) {
      this.keys.push({ ...keyId, bodySha256: digest, itemIds });
      const text = keyIdText(keyId);
      if (!this.#firsts.has(text)) this.#firsts.set(text, { digest, stored });
    }
    return stored;
  }

  #addSchemas(items: readonly SubmitInput[], projectId: string): void {
    for (const { answerSchema } of items) {
      if (!answerSchema) continue;
      const { digest, text } = answerSchema;
      this.schemas.set(`${projectId} ${digest}`, { projectId, digest, text });
    }
  }
}

/** DL6: by index, the items whose deadline is not possible by the clock of the database. */
function impossibleItems({ items }: Submission, now: Date): Map<number, Refusal> {
  const refused = new Map<number, Refusal>();
  for (const [index, { deadline }] of items.entries()) {
    const refusal = deadlineRefusal(deadline, now);
    if (refusal !== null) refused.set(index, refusal);
  }
  return refused;
}

/** DL6: refuses a deadline that is not possible at `now`; null for one that is, and where there is none. */
export function deadlineRefusal(deadline: SubmitInput['deadline'], now: Date): Refusal | null {
  const until = deadline?.until;
  if (deadline === undefined || !until || !('at' in until)) return null;
  const fault = deadlineFault(until.at, now);
  return fault === null ? null : impossibleDeadline(deadline.pointer, fault);
}

/** The checks by the schemas that apply now (TS1): items without a schema of their own have that of the project. */
function checksOf(
  { submission: { items }, checks }: Entry,
  { id: projectId, answer_schema_digest: digest }: SubmissionProject,
): readonly (SchemaCheck | null)[] | ToJudge {
  if (digest === null) return checks.map((check, index) => (items[index]?.answerSchema === undefined ? null : check));
  const unjudged = items.some((item, index) => item.answerSchema === undefined && checks[index]?.digest !== digest);
  return unjudged ? { toJudge: { projectId, digest } } : checks;
}

/** The idempotency keys of a submission; the first is its own, the others are further keys it is known by. */
function keyIdsOf({ projectId, idempotency }: Submission): KeyId[] {
  if (idempotency === null) return [];
  return [idempotency.key, ...(idempotency.extraKeys ?? [])].map((key) => ({
    projectId,
    operation: idempotency.operation,
    key,
  }));
}

/** Locks the intake: later reads see everything that was committed before the locks were granted. */
async function enter({ em }: Tx, submissions: Submission[]): Promise<Keys> {
  const keyIds = submissions.flatMap(keyIdsOf);
  const busy = await lockIntakeShared(em, submissions.map(projectOf), keyIds);
  return { busy, taken: keyIds.length === 0 ? new Map<string, KeyRow>() : await findKeys(em, keyIds) };
}

async function store({ em, appendEvent }: Tx, { items, keys, schemas, now }: Batch): Promise<void> {
  if (items.length === 0) return;
  if (schemas.size > 0) await insertSchemas(em, [...schemas.values()], now);
  await insertItems(
    em,
    items.map(({ item }) => item),
  );
  if (keys.length > 0) await insertKeys(em, keys, now);
  for (const { item, actor } of items) appendEvent(arrivalOf(item, actor));
}

/** The present state of items that existed before. */
async function readEarlier({ em }: Tx, ids: string[]): Promise<Map<string, SubmitResult>> {
  if (ids.length === 0) return new Map();
  const items = await em.find(Item, { id: { $in: ids } });
  const decisions = await em.find(Decision, { itemId: { $in: ids }, audit: false, supersededAt: null });
  const byItem = new Map(decisions.map((decision) => [decision.itemId, decision]));
  return new Map(items.map((item) => [item.id, { item, decision: byItem.get(item.id) ?? null }]));
}

const inProgress = () =>
  new Refusal('idempotency_in_progress', 'Send the same request again in a second.', { retryAfter: 1 });
const reused = () => new Refusal('idempotency_key_reused', 'Use a new Idempotency-Key for another body.');
