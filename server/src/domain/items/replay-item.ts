// Replays the events of one item along the moves of LC0 (I6): the resulting state must be the stored state of the item.
import type { DomainEventType } from '@countersign/shared/schemas/parts/events';
import type { DecisionAction, DecisionStatus, ItemStatus } from '@countersign/shared/enums';
import { REVISION_ACTIONS, type RevisionAction } from '@countersign/shared/review-actions';
import { isOpen, moveFor, revisedStatus } from './item.ts';

/** An event of an item, with the fields that its state depends on. */
export interface ItemEvent {
  type: DomainEventType;
  version: number;
  /** Null while it has none. */
  seq: number | null;
  /** The status of the item after the event; null when the event has none. */
  status: ItemStatus | null;
  action: DecisionAction | null;
  /** When the event was appended, and when its claim ends unless renewed; in ms since 1970. */
  at: number;
  expiresAt: number | null;
  /** Who caused it; null: the system. */
  actorId: string | null;
  /** A claim that ends somebody else's claim. */
  takesOver: boolean;
  /** Of a revision: its place in the chain. */
  revision: number | null;
  /** An escalation that its deadline caused (DL1): nobody held it for that. */
  byDeadline: boolean;
}

/** A decision as the event log has it: first or revised, or the verdict on an audited item. */
export interface LoggedDecision {
  audit: boolean;
  revision: number;
  action: DecisionAction;
  status: DecisionStatus;
}

/** The state of an item after its events. */
export interface ItemState {
  status: ItemStatus;
  version: number;
  /** How often it was claimed: its fence (I3). */
  claims: number;
  /** `expired`: the claim is no longer shown, but its holder may still decide. */
  claim: 'none' | 'live' | 'expired';
  /** Whose claim it is or was last; null before the first. */
  holder: string | null;
  /** The state of the people's decision; the automatic approval of an audited item does not count. */
  decided: 'no' | 'provisional' | 'final';
  /** Its decisions that were not undone, in the order of the event log. */
  decisions: readonly LoggedDecision[];
  /** Its deadline ended it (DL1). */
  expired: boolean;
}

interface ReplayState extends ItemState {
  audit: boolean;
  /** Its status before the provisional decision. */
  before: ItemStatus | null;
  /** The earliest moment at which the last claim may expire. */
  until: number;
}

/** The process dates events, the database dates claims: their clocks may differ by this many ms. */
const CLOCK_SKEW_MS = 5000;

/** Replays the events in the order of the event log. Returns the resulting state, or the fault of the first invalid event. */
export function replayItem(events: readonly ItemEvent[], { audit }: { audit: boolean }): ItemState | { fault: string } {
  const [first, ...rest] = events;
  if (first === undefined) return { fault: 'the event log has no event of this item' };
  let state = arrival(first, audit);
  for (const event of rest) {
    if (state === null) break;
    const after = STEPS[event.type]?.(state, event);
    if (after === undefined)
      return {
        fault: `${event.type} (version ${event.version}) does not follow on an item that is ${describe(state)}`,
      };
    const same = event.type === 'item.finalized' && event.version === state.version;
    if (!same && event.version !== state.version + 1)
      return { fault: `version ${event.version} follows version ${state.version} (${event.type})` };
    state = { ...state, ...after, version: event.version };
  }
  if (state === null) return { fault: `its first event is ${first.type}, version ${first.version}` };
  const { status, version, claims, claim, holder, decided, decisions, expired } = state;
  return { status, version, claims, claim, holder, decided, decisions, expired };
}

/** I6: the events of an item get their sequence numbers in their order. Returns what is wrong with the first that did not, or null. */
export function sequenceFault(events: readonly Pick<ItemEvent, 'type' | 'version' | 'seq'>[]): string | null {
  for (const [index, { type, version, seq }] of events.entries()) {
    const before = events[index - 1];
    if (before === undefined || seq === null) continue;
    if (before.seq === null || before.seq >= seq)
      return `${type} (version ${version}) has sequence number ${seq}, after ${before.seq ?? 'none'}`;
  }
  return null;
}

const describe = ({ status, claim, decided }: ReplayState): string =>
  [status, claim === 'live' ? 'claimed' : claim, decided === 'no' ? 'undecided' : decided].join(', ');

/** The chain of an item that was approved on arrival begins with it, also where people then audit the item. */
const AUTO_APPROVAL: LoggedDecision = { audit: false, revision: 1, action: 'auto_approve', status: 'approved' };

function arrival({ type, version, status }: ItemEvent, audit: boolean): ReplayState | null {
  if (version !== 1) return null;
  const born = {
    ...({ version, claims: 0, claim: 'none', holder: null, decided: 'no' } as const),
    ...{ audit, expired: false, before: null, until: 0 },
    decisions: audit || status === 'auto_approved' ? [AUTO_APPROVAL] : [],
  } as const satisfies Partial<ReplayState>;
  if (type === 'item.queued') return { ...born, status: 'queued' };
  if (type === 'item.escalated') return { ...born, status: 'escalated' };
  if (type !== 'item.finalized' || (status !== 'auto_approved' && status !== 'rejected')) return null;
  // An item drawn for an audit waits for people from its arrival, and its event is the approval (AU3).
  return { ...born, status: audit && status === 'auto_approved' ? 'queued' : status };
}

/** What an event changes in the state of an item; undefined where LC0 has no such move. */
type Step = (state: ReplayState, event: ItemEvent) => Partial<ReplayState> | undefined;

const allowed = (edge: boolean, after: Partial<ReplayState>) => (edge ? after : undefined);
const undecided = ({ status, decided }: ReplayState): boolean => isOpen(status) && decided === 'no';

const STEPS: Partial<Record<DomainEventType, Step>> = {
  'item.claimed': (state, event) =>
    allowed(undecided(state) && isFree(state, event), {
      ...{ claim: 'live', claims: state.claims + 1 },
      ...{ holder: event.actorId, until: event.expiresAt ?? 0 },
    }),
  'claim.released': ({ claim }) => allowed(claim === 'live', { claim: 'none' }),
  'claim.expired': ({ claim }) => allowed(claim === 'live', { claim: 'expired' }),
  'item.escalated': (state, { byDeadline }) =>
    allowed(undecided(state) && state.status === 'queued' && (byDeadline || state.claim !== 'none'), {
      status: 'escalated',
      claim: 'none',
    }),
  'item.queued': (state) =>
    allowed(isReturn(state) || isReopening(state) || isDrawn(state), { status: 'queued', claim: 'none' }),
  'item.decided': decide,
  'item.undone': ({ decided, before, decisions }, { status }) =>
    allowed(decided === 'provisional' && status !== null && status === before, {
      status: status ?? 'queued',
      ...{ decided: 'no', before: null },
      // What can be undone is the newest: only what is final is revised.
      decisions: decisions.slice(0, -1),
    }),
  'item.withdrawn': (state) => allowed(undecided(state) && !state.audit, { status: 'withdrawn', claim: 'none' }),
  'decision.revised': revise,
  'item.expired': (state, { status }) =>
    allowed(undecided(state) && isEndByTime(state, status), {
      status: status ?? 'expired',
      claim: 'none',
      expired: true,
    }),
  'item.extended': (state) => allowed(undecided(state), {}),
  'item.finalized': (state, { status }) =>
    allowed(state.decided === 'provisional' && status === state.status, { decided: 'final' }),
};

/** I4: the item has no claim, is taken over, or its claim has expired. */
const isFree = ({ claim, until }: ReplayState, { at, takesOver }: ItemEvent): boolean =>
  claim !== 'live' || takesOver || until < at + CLOCK_SKEW_MS;

const isReturn = ({ status, claim }: ReplayState): boolean => status === 'escalated' && claim !== 'none';
/** AU2: an audited item stays approved. */
const isEndByTime = ({ audit }: ReplayState, status: ItemStatus | null): boolean =>
  audit ? status === 'auto_approved' : status === 'expired' || status === 'rejected';
const isReopening = ({ status, decided, decisions, expired }: ReplayState): boolean =>
  status === 'rejected' && decided === 'no' && decisions.length === 0 && !expired;
/** Older event logs have two events for an audited arrival: approved first, then drawn. */
const isDrawn = ({ audit, version, claims }: ReplayState): boolean => audit && version === 1 && claims === 0;

function decide(state: ReplayState, { status, action }: ItemEvent): Partial<ReplayState> | undefined {
  if (!undecided(state) || state.claim === 'none') return undefined;
  if (action === null || action === 'auto_approve' || status === null) return undefined;
  const move = moveFor(state, action);
  if (move?.to !== status || move.decides === null) return undefined;
  const { audit, decisions } = state;
  const made: LoggedDecision = { audit, revision: 1, action, status: move.decides };
  return { status, claim: 'none', decided: 'provisional', before: state.status, decisions: [...decisions, made] };
}

/** RV1: only what is final is revised, along one chain. */
function revise(state: ReplayState, { action, status, revision }: ItemEvent): Partial<ReplayState> | undefined {
  const { decisions, decided } = state;
  if (decided === 'provisional' || isOpen(state.status)) return undefined;
  if (state.status === 'withdrawn' || state.status === 'expired') return undefined;
  if (!isRevision(action)) return undefined;
  const made = revisedStatus(action);
  // A chain without a first decision begins with revision 2 (RV3).
  const next = decisions.filter(({ revision: place }) => place > 1).length + 2;
  if (status !== made || revision !== next) return undefined;
  return { status, decisions: [...decisions, { audit: false, revision, action, status: made }] };
}

const isRevision = (action: DecisionAction | null): action is RevisionAction =>
  (REVISION_ACTIONS as readonly (DecisionAction | null)[]).includes(action);
