// Rule PM: who may do what, as one table. A thing of another project does not exist; that is decided before this table is asked.
import type { Abilities, Ability, ItemStatus, Role } from '@countersign/shared/words';

export const VERBS = [
  'see_queue',
  'decide_queued',
  'decide_escalated',
  'take_over',
  'see_analytics',
  'see_learnings',
  'see_deliveries',
  'change_settings',
  'manage_keys',
  'manage_webhook',
  'manage_members',
] as const;
export type Verb = (typeof VERBS)[number];

const everyone: readonly Role[] = ['reviewer', 'supervisor', 'owner'];
const supervisors: readonly Role[] = ['supervisor', 'owner'];
const owners: readonly Role[] = ['owner'];

/** PM: the roles that may, per verb. Deny by default: a verb without a row does not compile. */
const MAY = {
  see_queue: everyone,
  decide_queued: everyone,
  decide_escalated: supervisors,
  take_over: supervisors,
  see_analytics: supervisors,
  see_learnings: supervisors,
  see_deliveries: supervisors,
  change_settings: owners,
  manage_keys: owners,
  manage_webhook: owners,
  manage_members: owners,
} as const satisfies Record<Verb, readonly Role[]>;

/** May a member with this role do this? */
export function may(role: Role, verb: Verb): boolean {
  return MAY[verb].includes(role);
}

/** What a member may do to a project now, to be sent with it: the button that shows is the button that works. */
export function projectAbilities(role: Role): Abilities {
  return {
    ...NOTHING,
    see_analytics: may(role, 'see_analytics'),
    see_learnings: may(role, 'see_learnings'),
    see_deliveries: may(role, 'see_deliveries'),
    change_settings: may(role, 'change_settings'),
    manage_keys: may(role, 'manage_keys'),
    manage_webhook: may(role, 'manage_webhook'),
    manage_members: may(role, 'manage_members'),
  };
}

export interface ItemSituation {
  status: ItemStatus;
  /** Who holds the live claim, if anyone. */
  holder: string | null;
  /** Who made the provisional decision, if there is one. */
  undoableBy: string | null;
}

/** What a member may do to an item now. */
export function itemAbilities(member: { userId: string; role: Role }, item: ItemSituation): Abilities {
  const open = item.status === 'queued' || item.status === 'escalated';
  const allowed = open && may(member.role, item.status === 'queued' ? 'decide_queued' : 'decide_escalated');
  return {
    ...NOTHING,
    claim: allowed && (item.holder === null || item.holder === member.userId),
    decide: allowed && item.holder === member.userId,
    undo: item.undoableBy === member.userId,
  };
}

const NOTHING: Record<Ability, boolean> = {
  claim: false,
  decide: false,
  undo: false,
  take_over: false,
  see_analytics: false,
  see_learnings: false,
  see_deliveries: false,
  change_settings: false,
  manage_keys: false,
  manage_webhook: false,
  manage_members: false,
};
