// What the product promises of items, as a few lines of memory: who may do what when, and what comes of it. Held against the real use cases.
import type { ErrorCode } from '@countersign/shared/errors';
import type { ItemStatus, ReviewAction } from '@countersign/shared/words';

export const PEOPLE = ['anna', 'ben', 'supervisor'] as const;
export type Who = (typeof PEOPLE)[number];

/** How something went: `ok`, or the code of the refusal. */
export type Outcome = 'ok' | ErrorCode;

export interface Piece {
  id: string;
  key: string;
  status: ItemStatus;
  fence: number;
  holder: Who | null;
  /** `ended`: the lease is over, and nobody has noticed yet. */
  claim: 'none' | 'live' | 'ended';
  decided: { by: Who | null; from: ItemStatus; final: boolean } | null;
  /** Routing had rejected it, which was told as final. */
  reopened: boolean;
}

/** Rule LC0: from and action, to where. */
const EDGES: Partial<Record<`${ItemStatus} ${ReviewAction}`, ItemStatus>> = {
  'queued approve': 'approved',
  'queued edit': 'approved',
  'queued reject': 'rejected',
  'queued escalate': 'escalated',
  'escalated approve': 'approved',
  'escalated edit': 'approved',
  'escalated reject': 'rejected',
  'escalated finalize': 'escalated_final',
  'escalated return': 'queued',
};

const isOpen = ({ status }: Piece) => status === 'queued' || status === 'escalated';
const mayHold = ({ status }: Piece, who: Who) => status === 'queued' || who === 'supervisor';

export function newPiece(id: string, key: string, status: ItemStatus): Piece {
  const decided = status === 'auto_approved' ? { by: null, from: status, final: true } : null;
  return { id, key, status, fence: 0, holder: null, claim: 'none', decided, reopened: false };
}

/** LC4: with three in hand there is no fourth. A lease that is over is in nobody's hand. */
export function handsFull(pieces: readonly Piece[], who: Who): boolean {
  return pieces.filter(({ holder, claim }) => holder === who && claim === 'live').length >= 3;
}

/** `full`: their hands are full. */
export function claims(piece: Piece, who: Who, full = false): Outcome {
  if (!isOpen(piece)) return 'already_decided';
  if (!mayHold(piece, who)) return 'forbidden';
  if (piece.claim === 'live') return piece.holder === who ? 'ok' : 'claim_held';
  if (full) return 'too_many_claims';
  Object.assign(piece, { fence: piece.fence + 1, holder: who, claim: 'live' });
  return 'ok';
}

/** A supervisor takes it from whoever holds it; the fence rises unless it was theirs already. */
export function takesOver(piece: Piece, who: Who, full: boolean): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  if (!isOpen(piece)) return 'already_decided';
  if (piece.claim === 'live' && piece.holder === who) return 'ok';
  if (full) return 'too_many_claims';
  Object.assign(piece, { fence: piece.fence + 1, holder: who, claim: 'live' });
  return 'ok';
}

/** Only what routing rejected goes back to people. */
export function reopens(piece: Piece, who: Who): Outcome {
  if (who !== 'supervisor') return 'forbidden';
  if (isOpen(piece)) return 'validation_failed';
  if (piece.status !== 'rejected' || piece.decided !== null) return 'already_decided';
  piece.status = 'queued';
  piece.reopened = true;
  return 'ok';
}

export function renews(piece: Piece, who: Who, { fence, full }: { fence: number; full: boolean }): Outcome {
  if (!isOpen(piece)) return 'already_decided';
  if (piece.claim === 'none' || piece.holder !== who || piece.fence !== fence) return 'claim_lost';
  if (piece.claim === 'ended' && full) return 'claim_lost';
  piece.claim = 'live';
  return 'ok';
}

export function releases(piece: Piece, who: Who, fence: number): Outcome {
  if (piece.claim === 'none') return 'ok';
  if (piece.holder !== who) return 'claim_lost';
  if (piece.fence === fence) Object.assign(piece, { holder: null, claim: 'none' });
  return 'ok';
}

/** A claim that lapsed keeps its holder: until someone else takes the item, a late decision counts (LC1). */
export function lapses(piece: Piece): void {
  if (piece.claim === 'ended') piece.claim = 'none';
}

export function decides(piece: Piece, who: Who, { action, fence }: { action: ReviewAction; fence: number }): Outcome {
  const to = EDGES[`${piece.status} ${action}`];
  if (to === undefined) return isOpen(piece) ? 'validation_failed' : 'already_decided';
  if (!mayHold(piece, who)) return 'forbidden';
  if (piece.holder !== who || piece.fence !== fence) return 'claim_lost';
  const from = piece.status;
  Object.assign(piece, { status: to, holder: null, claim: 'none' });
  if (!isOpen(piece)) piece.decided = { by: who, from, final: false };
  return 'ok';
}

export function undoes(piece: Piece, who: Who): Outcome {
  if (piece.decided === null) return 'undo_window_passed';
  if (piece.decided.by !== who) return 'forbidden';
  if (piece.decided.final) return 'undo_window_passed';
  Object.assign(piece, { status: piece.decided.from, decided: null });
  return 'ok';
}

export function finalizes(piece: Piece): void {
  if (piece.decided) piece.decided.final = true;
}

/** Is this a move of the product? `new` is an item that was not there before. */
function isEdge(from: ItemStatus | 'new', to: ItemStatus): boolean {
  if (from === 'rejected') return to === 'queued';
  if (from === 'new') return ['auto_approved', 'queued', 'escalated', 'rejected'].includes(to);
  return Object.entries(EDGES).some(([edge, end]) => edge.startsWith(`${from} `) && end === to);
}

/** Follows the ledger of one item along the edges of LC0, and answers where it ends. Errors: a move that is none of them. */
export function walk(ledger: readonly { type: string; data: Record<string, unknown> }[]): ItemStatus | 'new' {
  let status: ItemStatus | 'new' = 'new';
  let before: ItemStatus | 'new' = 'new';
  for (const { type, data } of ledger) {
    const to = (data.status ?? (data.item as { status?: ItemStatus } | undefined)?.status) as ItemStatus | undefined;
    if (to === undefined || (type === 'item.finalized' && status !== 'new')) continue;
    const allowed = type === 'item.undone' ? to === before : isEdge(status, to);
    if (!allowed) throw new Error(`${type}: ${status} → ${to}`);
    [before, status] = [status, to];
  }
  return status;
}
