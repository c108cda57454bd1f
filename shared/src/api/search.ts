// Search over everything that a person may open: items by words or ID, and people.
import { z } from 'zod';
import { timestamp, uuid } from '../ids.ts';
import { itemStatus, role } from '../enums.ts';
import { plainText } from '../filters/queue-filter.ts';
import { endpoint } from './endpoint.ts';

/** Maximum number of items, and of people, in one response. */
export const SEARCH_RESULTS = 20;

const foundItem = z.object({
  id: uuid,
  project_id: uuid,
  status: itemStatus,
  preview: z.string(),
  created_at: timestamp,
});
const foundPerson = z.object({ user_id: uuid, project_id: uuid, name: z.string(), role });
export type FoundItem = z.infer<typeof foundItem>;
export type FoundPerson = z.infer<typeof foundPerson>;

/**
 * `complete` is false when older items were not examined: each project is searched from its newest item on, up to a limit
 * for all of them.
 */
export const searchResults = z.object({
  items: z.array(foundItem),
  people: z.array(foundPerson),
  complete: z.boolean(),
});
export type SearchResults = z.infer<typeof searchResults>;

export const search = endpoint({
  method: 'GET',
  path: '/api/search',
  auth: 'session',
  summary: 'Items of your projects by an ID or by words of their preview in any status, and people by name or wallet',
  query: z.object({ q: plainText(100).trim().min(1) }),
  reply: searchResults,
});
