// The context of the queue page's parts: queue, review session, recent decisions, preferences.
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import { createContext } from 'svelte';
import type { Parts } from './session/review-requests.ts';
import type { ReviewSession } from './session/review-session.svelte.ts';
import type { Reading } from './item/reading.svelte.ts';
import type { Selection } from './bulk/selection.svelte.ts';

export interface QueueContext extends Parts {
  readonly reviewSession: ReviewSession;
  readonly reading: Reading;
  readonly selection: Selection;
  /** Whether an action may run now, by any input: the open item was seen, and no change is under way (QU2). */
  readonly ready: () => boolean;
}

export const [getQueueContext, setQueueContext] = createContext<QueueContext>();

/** A project of the user, with its reasons, guidelines and lease; null until the projects have loaded. */
export const projectOf = (id: string | undefined): Project | null =>
  projects.list?.find((project) => project.id === id) ?? null;

/** The listed projects that hide confidence from the user (AU3), by name, and whether all of them do. */
export function projectsHidingConfidence(projectId: string | null): { names: string[]; all: boolean } {
  const listed = (projects.list ?? []).filter(({ id }) => projectId === null || id === projectId);
  const names = listed.filter((project) => project.hides_confidence).map(({ name }) => name);
  return { names, all: names.length > 0 && names.length === listed.length };
}

const LEASE_SECONDS = 120;

/** The length of a lease in ms, for drawing the time left. */
export const leaseOf = (projectId: string): number =>
  (projectOf(projectId)?.claim_lease_seconds ?? LEASE_SECONDS) * 1000;
