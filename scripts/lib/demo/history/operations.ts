// Submits, reviews, delivers and counts for the demo's history: each at its time, through the ordinary use cases.
import type { Signals } from '../../../../server/src/db/connection/signals.ts';
import { rawQuery } from '../../../../server/src/db/raw-query.ts';
import { createDeliverer, type Deliverer } from '../../../../server/src/delivery/deliver.ts';
import { claim } from '../../../../server/src/usecases/claims/claim.ts';
import { checkApiKey } from '../../../../server/src/usecases/credentials/check-api-key.ts';
import { decide } from '../../../../server/src/usecases/decisions/decide.ts';
import { submitBatch } from '../../../../server/src/usecases/items/submit.ts';
import type { ApiKeyActor, MemberActor, Services } from '../../../../server/src/usecases/services.ts';
import { finalizeOnce } from '../../../../server/src/worker/finalize.ts';
import { relayOnce } from '../../../../server/src/worker/relay.ts';
import { assignClustersOnce } from '../../../../server/src/worker/assign-clusters.ts';
import { countOnce } from '../../../../server/src/worker/count-rollups.ts';
import { watchBudgetsOnce } from '../../../../server/src/worker/watch-budgets.ts';
import { OPEN_STATUSES } from '../../../../shared/src/enums.ts';
import { Refusal } from '../../../../shared/src/errors.ts';
import type { MadeItem, Truth, verdictOf } from './items.ts';
import type { MovedTime } from './moved-time.ts';
import type { DemoArea } from './people.ts';

export interface HistoryProject {
  readonly area: DemoArea;
  readonly projectId: string;
  readonly apiKey: string;
  /** The share of all items that it gets. */
  readonly share: number;
}

export interface OperationParts {
  readonly services: Services;
  readonly signals: Signals;
  readonly time: MovedTime;
  readonly projects: readonly HistoryProject[];
  /** Called before deliveries are sent, with their time. */
  readonly onDeliveries: (at: Date) => void;
}

/** An item that waits for a person, with what is known of it. */
export interface Waiting {
  readonly id: string;
  /** It waits for a supervisor. */
  readonly escalated: boolean;
  readonly area: DemoArea;
  readonly suggestion: string;
  readonly truth: Truth;
}

/** One review of a person, with the times at which it begins and ends. */
export interface Task {
  readonly item: Waiting;
  readonly verdict: ReturnType<typeof verdictOf>;
  readonly begin: number;
  readonly end: number;
}

/** The receivers of the history are in the demo's own process. */
const LOCAL_RECEIVERS = { allowCidrs: ['127.0.0.0/8'], allowHttp: true };

export class HistoryOperations {
  readonly #parts: OperationParts;
  readonly #services: Services;
  readonly #deliverer: Deliverer;
  readonly #pipelines: ReadonlyMap<string, ApiKeyActor>;
  readonly #known = new Map<string, Omit<Waiting, 'id' | 'escalated'>>();

  private constructor(parts: OperationParts, pipelines: ReadonlyMap<string, ApiKeyActor>) {
    this.#parts = parts;
    this.#services = parts.services;
    this.#pipelines = pipelines;
    this.#deliverer = createDeliverer(parts.services, LOCAL_RECEIVERS);
  }

  /** Checks the keys of the projects, with which their items are submitted. */
  static async open(parts: OperationParts): Promise<HistoryOperations> {
    const pipelines = new Map<string, ApiKeyActor>();
    for (const { projectId, apiKey } of parts.projects)
      pipelines.set(projectId, await checkApiKey(parts.services, apiKey));
    return new HistoryOperations(parts, pipelines);
  }

  /** Submits items to a project. Returns how many it got. */
  async submit({ area, projectId }: HistoryProject, made: readonly MadeItem[], at: Date): Promise<number> {
    const pipeline = this.#pipelines.get(projectId);
    if (made.length === 0 || pipeline === undefined) return 0;
    const items = made.map(({ submission }) => submission);
    const submitted = this.#parts.time.at(at, () =>
      submitBatch(this.#services, pipeline, { items, idempotency: null }),
    );
    const { results } = await submitted;
    results.forEach(({ item }, index) => {
      const { submission, truth } = made[index] ?? {};
      if (submission && truth) this.#known.set(item.id, { area, suggestion: submission.suggestion.raw, truth });
    });
    return results.length;
  }

  /** Oldest first. Items of other people, who may use the demo already, are left to them. */
  async waiting(): Promise<Waiting[]> {
    const ids = this.#parts.projects.map(({ projectId }) => projectId);
    const rows = await this.#services.db.read((em) =>
      rawQuery<{ id: string; escalated: boolean }>(em, WAITING, [ids, OPEN_STATUSES]),
    );
    return rows.flatMap(({ id, escalated }) => {
      const known = this.#known.get(id);
      return known === undefined ? [] : [{ id, escalated, ...known }];
    });
  }

  /** The next item is claimed while the decision before it is stored. Two claims of a person would wait for each other. */
  async review(who: MemberActor, tasks: readonly Task[]): Promise<void> {
    let deciding: Promise<unknown> = Promise.resolve();
    for (const task of tasks) {
      const [fence] = await Promise.all([this.#claim(who, task), deciding]);
      deciding = fence === null ? Promise.resolve() : this.#decide(who, task, fence);
    }
    await deciding;
  }

  /** Decisions become final, and events get their place in the event log with the deliveries that they cause. */
  async settle(at: Date, { reviewed }: { reviewed: boolean }): Promise<void> {
    const { time, signals, onDeliveries } = this.#parts;
    const relayed = { capacity: this.#deliverer, until: at };
    await time.at(at, async () => {
      onDeliveries(at);
      if (reviewed) while ((await finalizeOnce(this.#services)).again);
      while ((await relayOnce(this.#services, signals, relayed)).again);
    });
  }

  /** Waits for the first attempts, then sends those that had no room, and retries. */
  deliver(at: Date): Promise<void> {
    return this.#parts.time.at(at, async () => {
      await this.#deliverer.settled();
      while ((await this.#deliverer.runOnce()).again) await this.#deliverer.settled();
    });
  }

  /** Brings figures, clusters and budgets up to date. */
  count(at: Date): Promise<void> {
    return this.#parts.time.at(at, async () => {
      while ((await relayOnce(this.#services, this.#parts.signals, { until: at })).again);
      while ((await assignClustersOnce(this.#services)).again);
      while ((await countOnce(this.#services)).again);
      await watchBudgetsOnce(this.#services);
    });
  }

  /** Waits for attempts in progress. */
  end(): Promise<void> {
    return this.#deliverer.drain();
  }

  /** The fence; null when somebody who uses the demo took the item, or this person may not decide it: it waits for others. */
  #claim(who: MemberActor, { item, begin }: Task): Promise<number | null> {
    const claiming = this.#parts.time.at(new Date(begin), () => claim(this.#services, who, item.id));
    return orNull(claiming.then(({ fence }) => fence));
  }

  #decide(who: MemberActor, { item, verdict, end }: Task, fence: number): Promise<unknown> {
    const { action, output, reason } = verdict;
    const decision = { itemId: item.id, fence, action, output, reason, note: null };
    return orNull(this.#parts.time.at(new Date(end), () => decide(this.#services, who, decision)));
  }
}

/** $1: the projects; $2: the statuses. */
const WAITING = `
  select id, status = 'escalated' as escalated from item
  where project_id = any($1::uuid[]) and status = any($2) and claimed_by is null order by created_at, id limit 400`;

/** Null when it is refused. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
