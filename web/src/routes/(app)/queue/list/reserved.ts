// For whom an item of the queue is reserved (SK), by the saved settings of its project and the time.
import { projects } from '#lib/api/projects-store.svelte.ts';
import { when } from '#lib/format/when.ts';
import { queueMessages } from '#lib/messages/queue-messages.ts';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { skillOf } from '@countersign/shared/skills';

export interface Reserved {
  /** The user is one of them. */
  mine: boolean;
  /** The names of the others. */
  names: string[];
  /** ISO, server clock. */
  until: string;
}

type Row = Pick<ItemRow, 'project_id' | 'reserved' | 'status'>;

/** Who gets the item first now; null when it is for everybody. `now`: server time in ms. */
export function reservedFor({ project_id, reserved, status }: Row, me: string, now: number): Reserved | null {
  if (reserved === undefined || status !== 'queued' || Date.parse(reserved.until) <= now) return null;
  const project = projects.list?.find(({ id }) => id === project_id);
  const entry = project?.skills.find(({ match }) => skillOf(match) === reserved.skill);
  const people = (project?.skill_people ?? []).filter(({ user_id }) => entry?.people.includes(user_id));
  if (people.length === 0) return null;
  const names = people.filter(({ user_id }) => user_id !== me).map(({ name }) => name);
  return { mine: names.length < people.length, names, until: reserved.until };
}

/** Whether others get the item before the user. */
export const isForOthers = (row: Row, me: string, now: number): boolean => reservedFor(row, me, now)?.mine === false;

/** "Ana and Marek first, until 14:05"; null when the item is for everybody. */
export function reservedText(row: Row, me: string, now: number): string | null {
  const reserved = reservedFor(row, me, now);
  return reserved && queueMessages.row.reserved(reserved, when(reserved.until, now));
}
