// The moves of rule LC0, written by hand: tests compare the rules and the model of an item with them.
import type { ItemStatus } from '@countersign/shared/enums';
import type { ReviewAction } from '@countersign/shared/review-actions';
import type { Move } from './item.ts';

const ANYONE = 'decide_queued';
const SUPERVISOR = 'decide_escalated';

/** Rule LC0: every other move is refused. Rejections and edits need a reason and create a learning. */
export const TABLE: Partial<Record<`${ItemStatus} ${ReviewAction}`, Move & { override: boolean }>> = {
  'queued approve': { to: 'approved', decides: 'approved', needs: ANYONE, reason: 'optional', override: false },
  'queued edit': { to: 'approved', decides: 'approved', needs: ANYONE, reason: 'required', override: true },
  'queued reject': { to: 'rejected', decides: 'rejected', needs: ANYONE, reason: 'required', override: true },
  'queued respond': { to: 'rejected', decides: 'rejected', needs: ANYONE, reason: 'optional', override: true },
  'queued escalate': { to: 'escalated', decides: null, needs: ANYONE, reason: 'required', override: false },
  'escalated approve': { to: 'approved', decides: 'approved', needs: SUPERVISOR, reason: 'optional', override: false },
  'escalated edit': { to: 'approved', decides: 'approved', needs: SUPERVISOR, reason: 'required', override: true },
  'escalated reject': { to: 'rejected', decides: 'rejected', needs: SUPERVISOR, reason: 'required', override: true },
  'escalated respond': { to: 'rejected', decides: 'rejected', needs: SUPERVISOR, reason: 'optional', override: true },
  'escalated finalize': {
    to: 'escalated_final',
    decides: 'escalated_final',
    needs: SUPERVISOR,
    reason: 'required',
    override: false,
  },
  'escalated return': { to: 'queued', decides: null, needs: SUPERVISOR, reason: 'optional', override: false },
};
