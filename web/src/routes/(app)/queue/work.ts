// What the parts of the queue page share: the queue, the desk, the tray, the reader's own choices.
import { projects } from '#lib/projects.svelte.ts';
import type { Project } from '@countersign/shared/api/projects';
import { createContext } from 'svelte';
import type { Parts } from './decider.ts';
import type { Desk } from './desk.svelte.ts';
import type { Reading } from './reading.svelte.ts';
import type { Selection } from './selection.svelte.ts';

export interface Work extends Parts {
  readonly desk: Desk;
  readonly reading: Reading;
  readonly selection: Selection;
  /** Whether an action counts now, by whatever it is asked for: the item on show was seen, and no change is under way (QU2). */
  readonly ready: () => boolean;
}

export const [getWork, setWork] = createContext<Work>();

/** A project of the reader, with its reasons, guidelines and lease; null until the list of projects is in. */
export const projectOf = (id: string | undefined): Project | null =>
  projects.list?.find((project) => project.id === id) ?? null;

/** Of the projects that are listed, one or all, those that keep confidence from the reader (AU3), by name; and whether all do. */
export function hidingIn(projectId: string | null): { names: string[]; all: boolean } {
  const listed = (projects.list ?? []).filter(({ id }) => projectId === null || id === projectId);
  const names = listed.filter((project) => project.hides_confidence).map(({ name }) => name);
  return { names, all: names.length > 0 && names.length === listed.length };
}

const LEASE_SECONDS = 120;

/** The length of a lease in ms, for drawing what is left of it. */
export const leaseOf = (projectId: string): number =>
  (projectOf(projectId)?.claim_lease_seconds ?? LEASE_SECONDS) * 1000;
