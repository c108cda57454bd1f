// Replays the events of one item along the moves of LC0 (I6): the resulting state must be the stored state of the item.
import type { DomainEventType } from '@countersign/shared/schemas/parts/events';
import type { DecisionAction, ItemStatus } from '@countersign/shared/enums';
import { REVISION_ACTIONS, type RevisionAction } from '@countersign/shared/review-actions';
import { isOpen, moveFor, revisedStatus } from './item.ts';

/** An event of an item, with the fields that its state depends on. */
export interface ItemEvent {
  type: DomainEventType;
  version: number;
  /** The status of the item after the event; null when the event has none. */
  status: ItemStatus | null;
  action: DecisionAction | null;
  /** When the event was appended, and when its claim ends unless renewed; in ms since 1970. */
  at: number;
  expiresAt: number | null;
  /** A claim that ends somebody else's claim. */
  takesOver: boolean;
  /** Of a revision: its place in the chain. */
  revision: number | null;
  /** An escalation that its deadline caused (DL1): nobody held it for that. */
  byDeadline: boolean;
}

/** The state of an item after its events. */
export interface ItemState {
  status: ItemStatus;
  version: number;
  /** How often it was claimed: its fence (I3). */
  claims: number;
  /** `expired`: the claim is no longer shown, but its holder may still decide. */
  claim: 'none' | 'live' | 'expired';
  /** The state of the people's decision; the automatic approval of an audited item does not count. */
  decided: 'no' | 'provisional' | 'final';
  /** How often its decision was revised (RV1). */
  revisions: number;
  /** It was approved automatically on arrival: its chain begins with that decision. */
  autoApproved: boolean;
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
  const { status, version, claims, claim, decided, revisions, autoApproved, expired } = state;
  return { status, version, claims, claim, decided, revisions, autoApproved, expired };
}

const describe = ({ status, claim, decided }: ReplayState): string =>
  [status, claim === 'live' ? 'claimed' : claim, decided === 'no' ? 'undecided' : decided].join(', ');

function arrival({ type, version, status }: ItemEvent, audit: boolean): ReplayState | null {
  if (version !== 1) return null;
  const autoApproved = audit || status === 'auto_approved';
  const born = {
    ...({ version, claims: 0, claim: 'none', decided: 'no', revisions: 0, autoApproved } as const),
    ...{ audit, expired: false, before: null, until: 0 },
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
      until: event.expiresAt ?? 0,
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
  'item.undone': ({ decided, before }, { status }) =>
    allowed(decided === 'provisional' && status !== null && status === before, {
      status: status ?? 'queued',
      decided: 'no',
      before: null,
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
const isReopening = ({ status, decided, revisions, expired }: ReplayState): boolean =>
  status === 'rejected' && decided === 'no' && revisions === 0 && !expired;
/** Older event logs have two events for an audited arrival: approved first, then drawn. */
const isDrawn = ({ audit, version, claims }: ReplayState): boolean => audit && version === 1 && claims === 0;

function decide(state: ReplayState, { status, action }: ItemEvent): Partial<ReplayState> | undefined {
  if (!undecided(state) || state.claim === 'none') return undefined;
  if (action === null || action === 'auto_approve' || status === null) return undefined;
  if (moveFor(state, action)?.to !== status) return undefined;
  return { status, claim: 'none', decided: 'provisional', before: state.status };
}

/** RV1: only what is final is revised, along one chain. */
function revise(state: ReplayState, { action, status, revision }: ItemEvent): Partial<ReplayState> | undefined {
  const { revisions, decided } = state;
  if (decided === 'provisional' || isOpen(state.status)) return undefined;
  if (state.status === 'withdrawn' || state.status === 'expired') return undefined;
  if (!isRevision(action) || status !== revisedStatus(action) || revision !== revisions + 2) return undefined;
  return { status, revisions: revisions + 1 };
}

const isRevision = (action: DecisionAction | null): action is RevisionAction =>
  (REVISION_ACTIONS as readonly (DecisionAction | null)[]).includes(action);
