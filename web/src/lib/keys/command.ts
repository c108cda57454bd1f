// The commands of the keyboard, and the scopes they work in.
import type { ReviewAction } from '@countersign/shared/review-actions';

export type Command =
  | ReviewAction
  | 'help'
  | 'palette'
  | 'filter'
  | 'go'
  | 'goQueue'
  | 'goProjects'
  | 'goAnalytics'
  | 'goLearnings'
  | 'next'
  | 'undo'
  | 'leave'
  | 'pause'
  | 'down'
  | 'up'
  | 'open'
  | 'peek'
  | 'select'
  | 'selectTo'
  | 'show'
  | 'view'
  | 'skip'
  | 'giveBack'
  | 'extend'
  | 'takeOver'
  | 'note'
  | 'guidelines'
  | 'jump'
  | 'find'
  | 'diff'
  | 'raw'
  | 'copyValue'
  | 'reopen'
  | 'revise'
  | 'reason'
  | 'send'
  | 'submit'
  | 'keepDraft'
  | 'reset'
  | 'accept'
  | 'copy'
  | 'create'
  | 'nextExample'
  | 'exampleBefore'
  | 'inOrOut';

/** Where a key works: a scope is active while its part of the page is shown, `go` for a moment after the key of that name. */
export const KEY_SCOPES = [
  'anywhere',
  'go',
  'list',
  'item',
  'reasons',
  'editor',
  'conflict',
  'projects',
  'learnings',
] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
