// The keymap as data for the help sheet, the palette, the key caps, remapping and the handlers.
import { ACTIONS, REVIEW_ACTIONS } from '@countersign/shared/review-actions';
import type { Command, KeyScope } from './command.ts';

export interface Binding {
  readonly command: Command;
  readonly scope: KeyScope;
  /** In the syntax of tinykeys; the first is drawn on the control, and can be changed. */
  readonly keys: readonly string[];
  /** Changes an item: waits until the item is painted and no other change is in flight. */
  readonly action?: true;
  /** Holding the key down repeats it. */
  readonly repeats?: true;
  /** Also works while typing. */
  readonly typing?: true;
  /** Its key has a fixed meaning and cannot be changed. */
  readonly fixed?: true;
}

type BindingOptions = Pick<Binding, 'action' | 'repeats' | 'typing' | 'fixed'>;

type Keyed = readonly [Command, ...string[]];

const bind = (scope: KeyScope, [command, ...keys]: Keyed, options: BindingOptions = {}): Binding => ({
  command,
  scope,
  keys,
  ...options,
});

const ACTION = { action: true } as const;
/** Digits, which some layouts have on Shift. Alone they do nothing: they are drawn on the reasons, and wait for an action. */
const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((value) => `[Shift]+${value}`);

/** Single letters are first, so that controls show them. Order within one key: the more specific scope first. */
export const KEYMAP: readonly Binding[] = [
  bind('editor', ['submit', '$mod+Enter'], { action: true, typing: true }),
  bind('editor', ['keepDraft', '$mod+s'], { typing: true }),
  bind('conflict', ['accept', 'Enter']),
  bind('conflict', ['reopen', 'o'], ACTION),
  bind('conflict', ['revise', 'v']),
  bind('conflict', ['copy', 'y']),
  bind('reasons', ['reason', ...DIGITS], { action: true, fixed: true }),
  bind('reasons', ['send', '$mod+Enter'], { action: true, typing: true }),
  ...REVIEW_ACTIONS.map((action) => bind('item', [action, ACTIONS[action].key], ACTION)),
  bind('item', ['skip', 's'], ACTION),
  bind('item', ['giveBack', 'q'], ACTION),
  bind('item', ['extend', 'l'], ACTION),
  bind('item', ['takeOver', 'o'], ACTION),
  bind('item', ['note', 'c']),
  bind('item', ['guidelines', 'i']),
  bind('item', ['jump', 'v']),
  bind('item', ['find', 'm']),
  bind('item', ['diff', 'd']),
  bind('item', ['raw', 't']),
  bind('item', ['copyValue', 'y']),
  bind('list', ['down', 'j', 'ArrowDown'], { repeats: true }),
  bind('list', ['up', 'k', 'ArrowUp'], { repeats: true }),
  bind('list', ['open', 'Enter'], ACTION),
  bind('list', ['peek', 'Space']),
  bind('list', ['next', 'n'], ACTION),
  bind('list', ['select', 'x']),
  bind('list', ['selectTo', 'Shift+x']),
  bind('list', ['show', '[Shift]+.']),
  bind('list', ['view', 'w']),
  bind('projects', ['create', 'c']),
  bind('learnings', ['nextExample', 'j'], { repeats: true }),
  bind('learnings', ['exampleBefore', 'k'], { repeats: true }),
  bind('learnings', ['inOrOut', 'x']),
  bind('go', ['goQueue', 'q']),
  bind('go', ['goProjects', 'p']),
  bind('go', ['goAnalytics', 'a']),
  bind('go', ['goLearnings', 'l']),
  bind('anywhere', ['help', '[Shift]+?']),
  bind('anywhere', ['palette', '$mod+k'], { typing: true }),
  bind('anywhere', ['filter', '[Shift]+/']),
  bind('anywhere', ['go', 'g']),
  bind('anywhere', ['undo', 'z']),
  bind('anywhere', ['pause', 'p']),
  bind('anywhere', ['leave', 'Escape'], { typing: true, fixed: true }),
];
