// A small event log for tests: performs actions on items and writes the events that a server would.
import { PLAIN_ITEM } from '@countersign/shared/plain-item';
import type { ActorRef, DomainEvent, NewEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { answers } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_ORDER, type QueueSort } from '@countersign/shared/filters/queue-order';
import type { Snapshot } from './queue-model.ts';

export const ME = '00000000-0000-4000-8000-0000000000aa';
export const ANA = '00000000-0000-4000-8000-0000000000bb';
export const PROJECTS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;

const people: Record<string, ActorRef> = {
  [ME]: { kind: 'member', id: ME, name: 'Me' },
  [ANA]: { kind: 'member', id: ANA, name: 'Ana' },
};
const SYSTEM: ActorRef = { kind: 'system', id: null, name: 'system' };
const PIPELINE: ActorRef = { kind: 'api_key', id: '00000000-0000-4000-8000-0000000000cc', name: 'Pipeline' };
const START = Date.parse('2026-11-20T12:00:00.000Z');
const MODELS = ['Gpt', 'gpt', null];
const FLAGS = [['pii'], [], ['legal', 'pii'], []];
const DECIDED = ['approve', 'reject'] as const;

/** One action: on an existing item chosen by number, or an arrival. */
export interface Act {
  what:
    | 'arrive'
    | 'claim'
    | 'release'
    | 'decide'
    | 'undo'
    | 'finalize'
    | 'escalate'
    | 'return'
    | 'withdraw'
    | 'deliver'
    | 'settings';
  pick: number;
  who: string;
}

export class EventLog {
  readonly events: DomainEvent[] = [];
  readonly waiting = new Map<string, ItemRow>();
  private readonly decided = new Map<string, ItemRow>();
  private readonly seqs = new Map<string, number>(PROJECTS.map((id) => [id, 0]));
  private created = 0;

  play(acts: readonly Act[]): this {
    for (const act of acts) this.act(act);
    return this;
  }

  /** The snapshot a client would read now. */
  snapshot(): Snapshot {
    const rows = [...this.waiting.values()];
    const counts = { available: 0, mine: 0, escalated: 0, all: rows.length };
    const range = { horizon: null, escalatedHorizon: null, restPending: false };
    const whole = { complete: true, filter: {}, sort: 'due' as const, ...range };
    return { rows, seqs: Object.fromEntries(this.seqs), counts, ...whole };
  }

  /** The snapshot of a client that is shown only `most` rows matching the filter, the first ones of a sort. */
  part(filter: QueueFilter, most: number, sort: QueueSort = 'due'): Snapshot {
    const all = [...this.waiting.values()].sort(QUEUE_ORDER[sort]);
    const answering = all.filter((row) => answers(filter, row));
    const always = all.filter((row) => row.claim?.user_id === ME || row.status === 'escalated');
    const rows = [...new Set([...answering.slice(0, most), ...always])];
    const free = (row: ItemRow) => row.claim === null && row.status !== 'escalated';
    const counts = {
      available: all.filter(free).length,
      mine: all.filter((row) => row.claim?.user_id === ME).length,
      escalated: all.filter((row) => row.status === 'escalated').length,
      all: all.length,
    };
    const horizon = answering.length > most ? (answering[most - 1] ?? null) : null;
    return { ...this.snapshot(), rows, counts, complete: false, filter, sort, horizon };
  }

  private act({ what, pick, who }: Act): void {
    const actor = people[who] ?? SYSTEM;
    const project_id = PROJECTS[pick % 2] ?? PROJECTS[0];
    if (what === 'arrive') return this.arrive(project_id, pick);
    if (what === 'settings')
      return this.append({ type: 'project.changed', project_id, actor, settings_version: 2, changed: ['settings'] });
    const from = what === 'undo' || what === 'finalize' ? this.decided : this.waiting;
    const row = [...from.values()][pick % Math.max(1, from.size)];
    if (row !== undefined) this.onItem({ what, pick, who }, row, actor);
  }

  private arrive(project_id: string, pick: number): void {
    const id = `00000000-0000-4000-9000-${String(this.created++).padStart(12, '0')}`;
    // Due times collide on purpose, so that the order falls back to arrival and id.
    const due_at = new Date(START + (pick % 5) * 60_000).toISOString();
    const row: ItemRow = {
      ...PLAIN_ITEM,
      id,
      project_id,
      status: pick % 3 === 0 ? 'escalated' : 'queued',
      preview: `item ${this.created}`,
      confidence: pick % 11 === 10 ? null : (pick % 10) / 10,
      risk_flags: FLAGS[pick % 4] ?? [],
      model: MODELS[pick % 3] ?? null,
      source: null,
      created_at: new Date(START + (pick % 2) * 1000).toISOString(),
      due_at,
      version: 1,
      claim: null,
    };
    this.requeue(row, row.status === 'queued' ? 'item.queued' : 'item.escalated', SYSTEM);
  }

  private onItem({ what, pick, who }: Act, row: ItemRow, actor: ActorRef): void {
    const version = row.version + 1;
    const base = { project_id: row.project_id, item_id: row.id, version, actor };
    const expires_at = new Date(START + 120_000).toISOString();
    const held = row.claim !== null;
    if (what === 'claim' && !held) {
      this.waiting.set(row.id, { ...row, version, claim: { user_id: who, name: actor.name, expires_at } });
      this.append({ type: 'item.claimed', ...base, expires_at });
    } else if (what === 'release' && held) {
      this.waiting.set(row.id, { ...row, version, claim: null });
      this.append({ type: pick % 2 ? 'claim.released' : 'claim.expired', ...base });
    } else if (what === 'decide' && held) {
      this.waiting.delete(row.id);
      this.decided.set(row.id, { ...row, version, claim: null });
      const action = DECIDED[pick % 2] ?? 'approve';
      const status = action === 'approve' ? 'approved' : 'rejected';
      this.append({ type: 'item.decided', ...base, status, action, reason: null, undo_until: expires_at });
    } else if (what === 'finalize') {
      this.decided.delete(row.id);
      this.append({ type: 'item.finalized', ...base, status: 'approved', action: 'approve', reason: null });
    } else if (what === 'undo') {
      this.decided.delete(row.id);
      this.requeue({ ...row, version }, 'item.undone', actor);
    } else if (what === 'escalate' && held && row.status === 'queued') {
      this.requeue({ ...row, version, status: 'escalated', claim: null }, 'item.escalated', actor);
    } else if (what === 'return' && held && row.status === 'escalated') {
      this.requeue({ ...row, version, status: 'queued', claim: null }, 'item.queued', actor);
    } else if (what === 'withdraw') {
      this.waiting.delete(row.id);
      const was = { status: row.status, claimed: held };
      this.append({ type: 'item.withdrawn', ...base, actor: PIPELINE, status: 'withdrawn', reason: null, was });
    } else if (what === 'deliver') {
      const delivery = { delivery_id: row.id, item_id: row.id, status: 'pending' as const, attempt: 1 };
      const rest = { http_status: null, error: null, next_attempt_at: null };
      this.append({ type: 'delivery.changed', project_id: row.project_id, actor: SYSTEM, ...delivery, ...rest });
    }
  }

  private requeue(row: ItemRow, type: 'item.queued' | 'item.escalated' | 'item.undone', actor: ActorRef): void {
    this.waiting.set(row.id, row);
    const base = { project_id: row.project_id, item_id: row.id, version: row.version, actor, item: row };
    this.append(type === 'item.undone' ? { type, ...base } : { type, ...base, reason: null });
  }

  private append(input: NewEvent): void {
    const seq = (this.seqs.get(input.project_id) ?? 0) + 1;
    this.seqs.set(input.project_id, seq);
    const server_time = new Date(START + this.events.length * 100).toISOString();
    this.events.push({ ...input, seq, server_time });
  }
}
