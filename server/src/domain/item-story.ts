// What the ledger tells of one item, followed fact by fact along the edges of LC0 (I6): where it ends must be where the item is.
import type { FactType } from '@countersign/shared/events';
import type { DecisionAction, ItemStatus } from '@countersign/shared/words';
import { isOpen, moveFor } from './item.ts';

/** A fact of an item, as far as its life depends on it. */
export interface StoryFact {
  type: FactType;
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
export interface Standing {
  status: ItemStatus;
  version: number;
  /** How often it was claimed: its fence (I3). */
  claims: number;
  /** `lapsed`: nobody sees the claim any more, but who had it may still decide. */
  claim: 'none' | 'live' | 'lapsed';
  /** What people decided of it; the approval of an audited item is none of theirs. */
  decided: 'no' | 'provisional' | 'final';
}

interface Story extends Standing {
  audit: boolean;
  /** Its status before the provisional decision. */
  before: ItemStatus | null;
  /** Until when the last claim holds at least. */
  until: number;
}

/** Facts are dated by the process, claims by the database: so far their clocks may be apart, in ms. */
const CLOCKS_MS = 5000;

/** Follows the facts in the order of the ledger. Answers where they end, or what is wrong with the first that is. */
export function followItem(facts: readonly StoryFact[], { audit }: { audit: boolean }): Standing | { fault: string } {
  const [first, ...rest] = facts;
  if (first === undefined) return { fault: 'the ledger has no fact of it' };
  let story = arrival(first, audit);
  for (const fact of rest) {
    if (story === null) break;
    const after = STEPS[fact.type]?.(story, fact);
    if (after === undefined)
      return { fault: `${fact.type} (version ${fact.version}) of an item that is ${said(story)}` };
    const same = fact.type === 'item.finalized' && fact.version === story.version;
    if (!same && fact.version !== story.version + 1)
      return { fault: `version ${fact.version} after ${story.version} (${fact.type})` };
    story = { ...story, ...after, version: fact.version };
  }
  if (story === null) return { fault: `it begins with ${first.type}, version ${first.version}` };
  const { status, version, claims, claim, decided } = story;
  return { status, version, claims, claim, decided };
}

const said = ({ status, claim, decided }: Story): string =>
  [status, claim === 'live' ? 'claimed' : claim, decided === 'no' ? 'undecided' : decided].join(', ');

function arrival({ type, version, status }: StoryFact, audit: boolean): Story | null {
  if (version !== 1) return null;
  const born = { version, claims: 0, claim: 'none', decided: 'no', audit, before: null, until: 0 } as const;
  if (type === 'item.queued') return { ...born, status: 'queued' };
  if (type === 'item.escalated') return { ...born, status: 'escalated' };
  if (type !== 'item.finalized' || (status !== 'auto_approved' && status !== 'rejected')) return null;
  // Drawn for an audit it waits for people from its arrival on, and is told as the approval that it is (AU3).
  return { ...born, status: audit && status === 'auto_approved' ? 'queued' : status };
}

/** What a fact makes of an item; undefined where LC0 has no such edge. */
type Step = (story: Story, fact: StoryFact) => Partial<Story> | undefined;

const allowed = (edge: boolean, after: Partial<Story>) => (edge ? after : undefined);
const undecided = ({ status, decided }: Story): boolean => isOpen(status) && decided === 'no';

const STEPS: Partial<Record<FactType, Step>> = {
  'item.claimed': (story, fact) =>
    allowed(undecided(story) && isFree(story, fact), {
      ...{ claim: 'live', claims: story.claims + 1 },
      until: fact.expiresAt ?? 0,
    }),
  'claim.released': ({ claim }) => allowed(claim === 'live', { claim: 'none' }),
  'claim.lapsed': ({ claim }) => allowed(claim === 'live', { claim: 'lapsed' }),
  'item.escalated': ({ status, claim }) =>
    allowed(status === 'queued' && claim !== 'none', { status: 'escalated', claim: 'none' }),
  'item.queued': (story) =>
    allowed(isReturn(story) || isReopening(story) || isDrawn(story), { status: 'queued', claim: 'none' }),
  'item.decided': decide,
  'item.undone': ({ decided, before }, { status }) =>
    allowed(decided === 'provisional' && status !== null && status === before, {
      status: status ?? 'queued',
      decided: 'no',
      before: null,
    }),
  'item.finalized': (story, { status }) =>
    allowed(story.decided === 'provisional' && status === story.status, { decided: 'final' }),
};

/** I4: nobody's, taken over, or held by a claim that has ended by itself. */
const isFree = ({ claim, until }: Story, { at, takesOver }: StoryFact): boolean =>
  claim !== 'live' || takesOver || until < at + CLOCKS_MS;

const isReturn = ({ status, claim }: Story): boolean => status === 'escalated' && claim !== 'none';
const isReopening = ({ status, decided }: Story): boolean => status === 'rejected' && decided === 'no';
/** Ledgers from before one fact told of both: approved first, then drawn. */
const isDrawn = ({ audit, version, claims }: Story): boolean => audit && version === 1 && claims === 0;

function decide(story: Story, { status, action }: StoryFact): Partial<Story> | undefined {
  if (!undecided(story) || story.claim === 'none') return undefined;
  if (action === null || action === 'auto_approve' || status === null) return undefined;
  if (moveFor(story, action)?.to !== status) return undefined;
  return { status, claim: 'none', decided: 'provisional', before: story.status };
}
