// The shape of what can be done on the queue page: one act per command, with when it has something to do.
import type { Command } from '#lib/keyboard.ts';
import type { QueueView } from '@countersign/shared/api/queue';
import type { Stage } from '../session/review-rules.ts';

/** The part of the page that is not the desk. */
export interface Ui {
  readonly stage: Stage | null;
  /** The line that the keys move; setting it moves the focus. */
  cursor: string | null;
  /** Whether the keyboard is in the list, or nowhere. */
  readonly inList: boolean;
  /** Turns to another view. */
  switchTo: (view: QueueView) => void;
}

/** What the layout of all pages, or another page, does itself. */
type HandledElsewhere =
  | ('help' | 'palette' | 'go' | 'goQueue' | 'goProjects' | 'goAnalytics' | 'goLearnings')
  | ('create' | 'nextExample' | 'exampleBefore' | 'inOrOut');
export type QueueCommand = Exclude<Command, HandledElsewhere>;

export interface CommandHandler {
  /** Whether there is something to do. */
  readonly can: () => boolean;
  readonly run: (event: KeyboardEvent | null) => unknown;
}

export type CommandHandlers<C extends QueueCommand> = Record<C, CommandHandler>;
