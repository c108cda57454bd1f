// The actions of reviewers: texts, key, result and who may take each, as one table (rule LC).

/** What reviewers do with an item they have claimed, in the order of the buttons. */
export const ACTIONS = {
  approve: {
    key: 'a',
    label: 'Approve',
    hint: 'Approve',
    past: 'approved',
    requires: 'nothing',
    from: ['queued', 'escalated'],
    to: 'approved',
    judges: 'right',
    bulk: true,
  },
  edit: {
    key: 'e',
    label: 'Edit',
    hint: 'Edit, then submit',
    past: 'edited',
    announcement: 'Edit submitted',
    decided: 'edited and approved',
    requires: 'output',
    from: ['queued', 'escalated'],
    to: 'approved',
    judges: 'wrong',
    bulk: false,
  },
  reject: {
    key: 'r',
    label: 'Reject',
    hint: 'Reject, then a reason',
    past: 'rejected',
    requires: 'reason',
    from: ['queued', 'escalated'],
    to: 'rejected',
    judges: 'wrong',
    bulk: true,
  },
  respond: {
    key: 'Shift+r',
    label: 'Respond',
    hint: 'Respond in words',
    past: 'answered in words',
    announcement: 'Response sent',
    history: 'answered in words',
    requires: 'response',
    from: ['queued', 'escalated'],
    to: 'rejected',
    judges: 'wrong',
    bulk: false,
  },
  escalate: {
    key: 'u',
    label: 'Escalate',
    hint: 'Escalate to a supervisor, then a reason',
    past: 'escalated',
    requires: 'reason',
    from: ['queued'],
    to: 'escalated',
    judges: null,
    bulk: true,
  },
  finalize: {
    key: 'f',
    label: 'Withhold',
    hint: 'Withhold, then a reason',
    past: 'withheld',
    requires: 'reason',
    from: ['escalated'],
    to: 'escalated_final',
    judges: null,
    bulk: false,
  },
  return: {
    key: 'b',
    label: 'Return',
    hint: 'Return to queue',
    past: 'returned',
    announcement: 'Item returned to the queue',
    history: 'returned it to the queue',
    requires: 'nothing',
    from: ['escalated'],
    to: 'queued',
    judges: null,
    bulk: false,
  },
} as const satisfies Record<string, ActionFacts>;

/** The reasons offered for escalating, in every project: what reviewers pass on is rarely what they reject for. */
export const ESCALATE_REASONS = ['Not sure', 'Needs a specialist', 'Policy question', 'Customer at risk'] as const;

interface ActionFacts {
  /** The key on the page, as long as its user has not changed it. */
  key: string;
  /** On its button. */
  label: string;
  /** In the list of keys. */
  hint: string;
  /** The past tense: in the list of recent decisions, and in the other texts where the action has none of its own. */
  past: string;
  /** Read aloud when it is sent; otherwise "Item …" with the past tense. */
  announcement?: string;
  /** In the history, after the name of the reviewer; otherwise "… it" with the past tense. */
  history?: string;
  /** In "Ana decided this: …"; otherwise the past tense. */
  decided?: string;
  /** An output comes with a reason, a response may. */
  requires: 'nothing' | 'reason' | 'output' | 'response';
  /** The statuses it is allowed in. Who may claim an item of that status may also take the action (rule PM). */
  from: readonly OpenStatus[];
  /** The next status. An open one moves the item between people; any other is that of a decision. */
  to: OpenStatus | 'approved' | 'rejected' | 'escalated_final';
  /** What it says about the suggestion. `wrong` is an override, which is recorded as a learning. */
  judges: 'right' | 'wrong' | null;
  /** Whether it can be applied to several selected items. */
  bulk: boolean;
}

type OpenStatus = 'queued' | 'escalated';
type Table = typeof ACTIONS;

export type ReviewAction = keyof Table;
/** The actions that have this value in the table. */
export type ActionWith<Fact extends keyof ActionFacts, Value> = {
  [Name in ReviewAction]: Table[Name] extends Record<Fact, Value> ? Name : never;
}[ReviewAction];

/** Moves the item to other people, without a decision. */
export type MoveAction = ActionWith<'to', OpenStatus>;
export type ReviewerDecision = Exclude<ReviewAction, MoveAction>;
export type OverrideAction = ActionWith<'judges', 'wrong'>;

export const REVIEW_ACTIONS = Object.keys(ACTIONS) as readonly ReviewAction[];

/** The texts of an action about what was done. */
export function pastTextsOf(action: ReviewAction) {
  const { past, announcement = `Item ${past}`, history = `${past} it`, decided = past }: ActionFacts = ACTIONS[action];
  return { done: past.charAt(0).toUpperCase() + past.slice(1), announcement, history, decided };
}

export const isMove = (action: ReviewAction): action is MoveAction =>
  ACTIONS[action].to === 'queued' || ACTIONS[action].to === 'escalated';

/** Whether the page asks for a reason, and for nothing else. */
export const isReasoned = (action: ReviewAction): action is ActionWith<'requires', 'reason'> =>
  ACTIONS[action].requires === 'reason';

/** What an action says about the suggestion; null for one that says nothing, and for any other text. */
const judgementOf = (action: string | null) =>
  (ACTIONS as Readonly<Partial<Record<string, ActionFacts>>>)[action ?? '']?.judges ?? null;

export const isOverride = (action: string | null): action is OverrideAction => judgementOf(action) === 'wrong';
export const isJudging = (action: string | null): boolean => judgementOf(action) !== null;

/** The actions that make a decision. */
export const REVIEWER_DECISIONS = /* @__PURE__ */ REVIEW_ACTIONS.filter((action) => !isMove(action));
/** The actions that say whether the suggestion was right, and those that say it was wrong. */
export const JUDGING_ACTIONS = /* @__PURE__ */ REVIEW_ACTIONS.filter(isJudging);
export const OVERRIDE_ACTIONS = /* @__PURE__ */ REVIEW_ACTIONS.filter(isOverride);
export const BULK_ACTIONS = /* @__PURE__ */ REVIEW_ACTIONS.filter(
  (action): action is ActionWith<'bulk', true> => ACTIONS[action].bulk,
);

/** What a final decision can be revised to (RV1). */
export const REVISION_ACTIONS = ['approve', 'edit', 'reject'] as const satisfies ReviewerDecision[];
export type RevisionAction = (typeof REVISION_ACTIONS)[number];

/** The actions that a submission may allow (`allowed_actions`); all others are always possible (LC7). */
export const SUBMITTER_ACTIONS = ['approve', 'edit', 'reject', 'respond'] as const;
export type SubmitterAction = (typeof SUBMITTER_ACTIONS)[number];
/** Where it says nothing. */
export const DEFAULT_ACTIONS: readonly SubmitterAction[] = ['approve', 'edit', 'reject'];

/** LC7: whether the submission allows it: one of its actions, or one that no submission can exclude. */
export const isAllowed = (action: ReviewAction, allowed: readonly SubmitterAction[]): boolean =>
  !(SUBMITTER_ACTIONS as readonly ReviewAction[]).includes(action) ||
  (allowed as readonly ReviewAction[]).includes(action);

/** The actions in this status that the submission allows, in the order of the buttons. */
export const actionsFrom = (
  status: OpenStatus,
  allowed: readonly SubmitterAction[] = SUBMITTER_ACTIONS,
): ReviewAction[] =>
  REVIEW_ACTIONS.filter(
    (action) => (ACTIONS[action].from as readonly OpenStatus[]).includes(status) && isAllowed(action, allowed),
  );

/** The same actions; for a `status` of null, which means a decided item, those that can revise its decision (RV1). */
export const possibleActions = (
  status: OpenStatus | null,
  allowed: readonly SubmitterAction[],
): readonly ReviewAction[] =>
  status === null ? REVISION_ACTIONS.filter((action) => isAllowed(action, allowed)) : actionsFrom(status, allowed);

/** Those that answer the pipeline; an item that allows none of them can only be passed on, or withheld. */
const isAnswer = (action: ReviewAction): boolean => (SUBMITTER_ACTIONS as readonly ReviewAction[]).includes(action);

/**
 * What can be done with an item whose suggestion cannot be approved, as advice: “Edit or reject instead.” `status`: null where it
 * is decided, and only another answer can replace the present one. `names`: other names of actions, in lower case.
 */
export function insteadOfApproving(
  status: OpenStatus | null,
  allowed: readonly SubmitterAction[],
  names: Partial<Record<ReviewAction, string>> = {},
): string {
  const others = possibleActions(status, allowed).filter((action) => action !== 'approve' && action !== 'return');
  const answers = others.filter(isAnswer);
  if (answers.length === 0 && status === null) return 'The submission allows nothing else.';
  const listed = (answers.length > 0 ? answers : others).map((one) => names[one] ?? ACTIONS[one].label.toLowerCase());
  const [first = '', ...rest] = listed;
  const last = rest.pop();
  const all = last === undefined ? first : `${[first, ...rest].join(', ')} or ${last}`;
  const why = answers.length > 0 ? '' : ': the submission allows nothing else';
  return `${all.charAt(0).toUpperCase()}${all.slice(1)} instead${why}.`;
}

/** A value for each action. */
export const byAction = <Value>(valueOf: (action: ReviewAction) => Value) =>
  Object.fromEntries(REVIEW_ACTIONS.map((action) => [action, valueOf(action)])) as Record<ReviewAction, Value>;
