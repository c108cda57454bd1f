// Rule PM: who may do what, as one table. Whether the project exists for the person is decided before (404).
import type { Abilities, Ability, ItemStatus, Role } from '@countersign/shared/enums';

export const PERMISSIONS = [
  'see_queue',
  'decide_queued',
  'decide_escalated',
  'take_over',
  'bulk_claim',
  'reopen',
  'revise',
  'extend_deadline',
  'answer_mistakes',
  'see_analytics',
  'see_learnings',
  'shape_clusters',
  'exclude_learnings',
  'start_regressions',
  'see_deliveries',
  'replay_deliveries',
  'stop_project',
  'change_settings',
  'manage_keys',
  'manage_webhook',
  'manage_members',
  'manage_project',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

const everyone: readonly Role[] = ['reviewer', 'supervisor', 'owner'];
const supervisors: readonly Role[] = ['supervisor', 'owner'];
const owners: readonly Role[] = ['owner'];

/** PM: the roles that have each permission. Deny by default: a permission without a row does not compile. */
const MAY = {
  see_queue: everyone,
  decide_queued: everyone,
  decide_escalated: supervisors,
  take_over: supervisors,
  bulk_claim: supervisors,
  reopen: supervisors,
  revise: supervisors,
  extend_deadline: supervisors,
  answer_mistakes: supervisors,
  see_analytics: supervisors,
  see_learnings: supervisors,
  shape_clusters: supervisors,
  exclude_learnings: supervisors,
  start_regressions: supervisors,
  see_deliveries: supervisors,
  replay_deliveries: supervisors,
  stop_project: supervisors,
  change_settings: owners,
  manage_keys: owners,
  manage_webhook: owners,
  manage_members: owners,
  manage_project: owners,
} as const satisfies Record<Permission, readonly Role[]>;

/** Whether a member with this role may do this. */
export function may(role: Role, permission: Permission): boolean {
  return MAY[permission].includes(role);
}

/**
 * AR1: what no role may do in an archived project. It includes making keys, sources and invites, adding
 * people and changing roles. Removing a right, by revoking a key or removing a member, depends on the abilities of that object.
 */
const DENIED_WHEN_ARCHIVED: readonly Permission[] = [
  'decide_queued',
  'decide_escalated',
  'take_over',
  'bulk_claim',
  'reopen',
  'revise',
  'extend_deadline',
  'answer_mistakes',
  'shape_clusters',
  'exclude_learnings',
  'start_regressions',
  'stop_project',
  'change_settings',
  'manage_keys',
  'manage_webhook',
  'manage_members',
];

/** Whether a member with this role may do this in the project as it is now. */
function mayNow(role: Role, permission: Permission, archived: boolean): boolean {
  return may(role, permission) && !(archived && DENIED_WHEN_ARCHIVED.includes(permission));
}

/** What a member may do to a project now. It is sent with the project, so that a page shows only buttons that work. */
export function projectAbilities(role: Role, archived: boolean): Abilities {
  const can = (permission: Permission) => mayNow(role, permission, archived);
  return {
    ...NOTHING,
    take_over: can('take_over'),
    bulk_claim: can('bulk_claim'),
    reopen: can('reopen'),
    revise: can('revise'),
    answer_mistakes: can('answer_mistakes'),
    see_analytics: can('see_analytics'),
    see_learnings: can('see_learnings'),
    see_deliveries: can('see_deliveries'),
    stop_project: can('stop_project'),
    change_settings: can('change_settings'),
    manage_keys: can('manage_keys'),
    manage_webhook: can('manage_webhook'),
    manage_members: can('manage_members'),
    manage_project: can('manage_project'),
  };
}

/** What a member may do to the clusters of a project now (CT3). */
export const mayShapeClusters = (role: Role, archived: boolean): boolean => mayNow(role, 'shape_clusters', archived);

/** Whether a member may exclude and include learnings now (LX5). */
export const mayExcludeLearnings = (role: Role, archived: boolean): boolean =>
  mayNow(role, 'exclude_learnings', archived);

/** Whether a member may change the reported mistakes of a project now (MR1, AR1). */
export const mayReportMistakes = (role: Role, archived: boolean): boolean => mayNow(role, 'decide_queued', archived);

/** Whether a member may answer reported mistakes now (MR3). */
export const mayAnswerMistakes = (role: Role, archived: boolean): boolean => mayNow(role, 'answer_mistakes', archived);

export interface ItemSituation {
  status: ItemStatus;
  /** The project is archived (AR1). */
  archived: boolean;
  /** The holder of the live claim, if any. */
  holder: string | null;
  /** Routing rejected it; no person decided it. */
  rejectedByRouting: boolean;
  /** Its decision is final, and its content is still there (RV1). */
  revisable: boolean;
  /** The author of the provisional decision, if there is one. */
  undoableBy: string | null;
  /** Its deadline can still be extended (DL5). */
  extendable: boolean;
  /** The member has reached the claim limit with other items (LC4). */
  claimLimitReached: boolean;
}

/** What a member may do to an item now. */
export function itemAbilities(member: { userId: string; role: Role }, item: ItemSituation): Abilities {
  const open = item.status === 'queued' || item.status === 'escalated';
  const can = (permission: Permission) => mayNow(member.role, permission, item.archived);
  const allowed = open && can(item.status === 'queued' ? 'decide_queued' : 'decide_escalated');
  const mine = item.holder === member.userId;
  return {
    ...NOTHING,
    claim: allowed && (mine || (item.holder === null && !item.claimLimitReached)),
    take_over: allowed && can('take_over') && item.holder !== null && !mine && !item.claimLimitReached,
    reopen: item.rejectedByRouting && can('reopen'),
    revise: item.revisable && can('revise'),
    extend_deadline: item.extendable && can('extend_deadline'),
    decide: allowed && mine,
    undo: item.undoableBy === member.userId,
  };
}

const NOTHING: Record<Ability, boolean> = {
  claim: false,
  decide: false,
  undo: false,
  take_over: false,
  bulk_claim: false,
  reopen: false,
  revise: false,
  extend_deadline: false,
  answer_mistakes: false,
  see_analytics: false,
  see_learnings: false,
  see_deliveries: false,
  stop_project: false,
  change_settings: false,
  manage_keys: false,
  manage_webhook: false,
  manage_members: false,
  manage_project: false,
};
