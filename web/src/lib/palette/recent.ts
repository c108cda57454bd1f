// The palette entries that a user chose recently, in this browser.
import { json, persisted } from '../storage/persisted.ts';

const MAX_REMEMBERED = 20;

const ids = json<readonly string[]>((stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, MAX_REMEMBERED) : [],
);

/** The ids of recently chosen entries, newest first. Without storage only their order is lost. */
export const recentEntriesOf = (user: string) => persisted(`countersign.palette.${user}`, ids);
