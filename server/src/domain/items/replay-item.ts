// What the ledger tells of one item, followed fact by fact along the edges of LC0 (I6): where it ends must be where the item is.
import type { DomainEventType } from '@countersign/shared/events';
import type { DecisionAction, ItemStatus } from '@countersign/shared/enums';
import { isOpen, moveFor } from './item.ts';

/** A fact of an item, as far as its life depends on it. */
export interface ItemEvent {
  type: DomainEventType;
  version: number;
  /** The status it says the item has from here on; null where it says none. */
  status: ItemStatus | null;
  action: DecisionAction | null;
  /** When it was stated, and when the claim that it tells of ends unless it is renewed; in ms since 1970. */
  at: number;
  expiresAt: number | null;
  /** A claim that ends somebody else's. */
  takesOver: boolean;
}

/** Where an item stands after its facts. */
export interface ItemState {
  status: ItemStatus;
  version: number;
  /** How often it was claimed: its fence (I3). */
  claims: number;
  /** `lapsed`: nobody sees the claim any more, but who had it may still decide. */
  claim: 'none' | 'live' | 'expired';
  /** What people decided of it; the approval of an audited item is none of theirs. */
  decided: 'no' | 'provisional' | 'final';
}

interface ReplayState extends ItemState {
  audit: boolean;
  /** Its status before the provisional decision. */
  before: ItemStatus | null;
  /** Until when the last claim holds at least. */
  until: number;
}

/** Facts are dated by the process, claims by the database: so far their clocks may be apart, in ms. */
const CLOCK_SKEW_MS = 5000;

/** Follows the facts in the order of the ledger. Answers where they end, or what is wrong with the first that is. */
export function replayItem(events: readonly ItemEvent[], { audit }: { audit: boolean }): ItemState | { fault: string } {
  const [first, ...rest] = events;
  if (first === undefined) return { fault: 'the event log has no event of it' };
  let state = arrival(first, audit);
  for (const event of rest) {
    if (state === null) break;
    const after = STEPS[event.type]?.(state, event);
    if (after === undefined)
      return { fault: `${event.type} (version ${event.version}) of an item that is ${describe(state)}` };
    const same = event.type === 'item.finalized' && event.version === state.version;
    if (!same && event.version !== state.version + 1)
      return { fault: `version ${event.version} after ${state.version} (${event.type})` };
    state = { ...state, ...after, version: event.version };
  }
  if (state === null) return { fault: `it begins with ${first.type}, version ${first.version}` };
  const { status, version, claims, claim, decided } = state;
  return { status, version, claims, claim, decided };
}

const describe = ({ status, claim, decided }: ReplayState): string =>
  [status, claim === 'live' ? 'claimed' : claim, decided === 'no' ? 'undecided' : decided].join(', ');

function arrival({ type, version, status }: ItemEvent, audit: boolean): ReplayState | null {
  if (version !== 1) return null;
  const born = { version, claims: 0, claim: 'none', decided: 'no', audit, before: null, until: 0 } as const;
  if (type === 'item.queued') return { ...born, status: 'queued' };
  if (type === 'item.escalated') return { ...born, status: 'escalated' };
  if (type !== 'item.finalized' || (status !== 'auto_approved' && status !== 'rejected')) return null;
  // Drawn for an audit it waits for people from its arrival on, and is told as the approval that it is (AU3).
  return { ...born, status: audit && status === 'auto_approved' ? 'queued' : status };
}

/** What a fact makes of an item; undefined where LC0 has no such edge. */
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
  'item.escalated': ({ status, claim }) =>
    allowed(status === 'queued' && claim !== 'none', { status: 'escalated', claim: 'none' }),
  'item.queued': (state) =>
    allowed(isReturn(state) || isReopening(state) || isDrawn(state), { status: 'queued', claim: 'none' }),
  'item.decided': decide,
  'item.undone': ({ decided, before }, { status }) =>
    allowed(decided === 'provisional' && status !== null && status === before, {
      status: status ?? 'queued',
      decided: 'no',
      before: null,
    }),
  'item.finalized': (state, { status }) =>
    allowed(state.decided === 'provisional' && status === state.status, { decided: 'final' }),
};

/** I4: nobody's, taken over, or held by a claim that has ended by itself. */
const isFree = ({ claim, until }: ReplayState, { at, takesOver }: ItemEvent): boolean =>
  claim !== 'live' || takesOver || until < at + CLOCK_SKEW_MS;

const isReturn = ({ status, claim }: ReplayState): boolean => status === 'escalated' && claim !== 'none';
const isReopening = ({ status, decided }: ReplayState): boolean => status === 'rejected' && decided === 'no';
/** Ledgers from before one fact told of both: approved first, then drawn. */
const isDrawn = ({ audit, version, claims }: ReplayState): boolean => audit && version === 1 && claims === 0;

function decide(state: ReplayState, { status, action }: ItemEvent): Partial<ReplayState> | undefined {
  if (!undecided(state) || state.claim === 'none') return undefined;
  if (action === null || action === 'auto_approve' || status === null) return undefined;
  if (moveFor(state, action)?.to !== status) return undefined;
  return { status, claim: 'none', decided: 'provisional', before: state.status };
}
