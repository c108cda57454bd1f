// The four steps to a first decision, and the activity so far, both from the project's state.
import type { Onboarding } from '@countersign/shared/schemas/onboarding';
import type { Project } from '@countersign/shared/schemas/projects';

/** A new project, with the text of its first key, which no later answer contains. */
export interface NewProject {
  project: Project;
  apiKey: string | null;
  /** Why there is no key. */
  keyError: unknown;
}

export const STEPS = ['make', 'send', 'decide', 'webhook'] as const;
export type Step = (typeof STEPS)[number];
type StepState = 'done' | 'open' | 'later';

/** The state of each step: done by its event, in any order; the first that is not done is open. */
export function stepsOf(project: unknown, run: Onboarding | null): Record<Step, StepState> {
  const done = {
    make: project !== null,
    send: came(run, 'item'),
    decide: came(run, 'decision'),
    webhook: came(run, 'webhook'),
  } satisfies Record<Step, boolean>;
  const open = STEPS.find((step) => !done[step]);
  const state = (step: Step): StepState => (done[step] ? 'done' : step === open ? 'open' : 'later');
  return { make: state('make'), send: state('send'), decide: state('decide'), webhook: state('webhook') };
}

/** True when there is nothing left to wait for. */
export const isComplete = (run: Onboarding | null): boolean =>
  Object.values(stepsOf({}, run)).every((state) => state === 'done');

type Kind = 'project' | 'key' | 'item' | 'decision' | 'webhook';

/** The activity, newest first, and the pending events in their expected order. */
export function activityOf(run: Onboarding): {
  happened: { kind: Kind; at: string }[];
  toCome: Exclude<Kind, 'project'>[];
} {
  const moments: { kind: Kind; at: string | undefined }[] = [
    { kind: 'project', at: run.created_at },
    { kind: 'key', at: run.key?.at },
    { kind: 'item', at: run.item?.at },
    { kind: 'decision', at: run.decision?.at },
    { kind: 'webhook', at: run.webhook?.at },
  ];
  const happened = moments.flatMap(({ kind, at }) => (at === undefined ? [] : [{ kind, at }]));
  // Later kinds are above when two times are equal.
  const newest = happened.toReversed().toSorted((one, other) => other.at.localeCompare(one.at));
  const toCome = moments.flatMap(({ kind }) => (kind === 'project' || came(run, kind) ? [] : [kind]));
  return { happened: newest, toCome };
}

/** The host of a webhook URL; the text itself when it is no URL. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Whether it happened, even if it was deleted since (KE4). */
const came = (run: Onboarding | null, kind: Exclude<Kind, 'project'>): boolean =>
  run !== null && (run[kind] !== null || (kind !== 'key' && run.gone[kind]));
