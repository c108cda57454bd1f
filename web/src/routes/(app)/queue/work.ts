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
}

export const [getWork, setWork] = createContext<Work>();

/** A project of the reader, with its reasons, guidelines and lease; null until the list of projects is in. */
export const projectOf = (id: string | undefined): Project | null =>
  projects.list?.find((project) => project.id === id) ?? null;

/** The names of the projects, of one or of all, in which confidence is kept from the reader (AU3). */
export const hidingIn = (projectId: string | null): string[] =>
  (projects.list ?? []).flatMap((one) =>
    one.hides_confidence && (projectId === null || one.id === projectId) ? [one.name] : [],
  );

const LEASE_SECONDS = 120;

/** The length of a lease in ms, for drawing what is left of it. */
export const leaseOf = (projectId: string): number =>
  (projectOf(projectId)?.claim_lease_seconds ?? LEASE_SECONDS) * 1000;
