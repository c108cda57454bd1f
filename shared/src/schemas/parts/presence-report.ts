// What a page tells the server on its socket.
import { z } from 'zod';
import { uuid } from './ids.ts';

/**
 * The presence of one tab: the open item with its project, or neither. `idle`, the old name of "away", while the tab is
 * hidden or had no input for a minute. The server forwards it only to the rooms of this socket.
 */
export const presenceReport = z
  .strictObject({ project_id: uuid.nullable(), item_id: uuid.nullable(), idle: z.boolean() })
  .refine(({ project_id, item_id }) => (project_id === null) === (item_id === null));
export type PresenceReport = z.infer<typeof presenceReport>;
