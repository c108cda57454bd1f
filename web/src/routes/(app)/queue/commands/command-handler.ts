// Types of the command handlers of the queue page: one action per command, with a check whether it is available.
import type { Command } from '#lib/keys/command.ts';
import type { QueueView } from '@countersign/shared/enums';
import type { Stage } from '../session/review-state.ts';

/** The part of the page outside the review session. */
export interface Ui {
  readonly stage: Stage | null;
  /** The row that the keys move; setting it moves the focus. */
  cursor: string | null;
  /** Whether the focus is in the list, or nowhere. */
  readonly inList: boolean;
  /** Switches to another view. */
  switchTo: (view: QueueView) => void;
}

/** Commands that the layout of all pages, or another page, handles. */
type HandledElsewhere =
  | ('help' | 'palette' | 'go' | 'goQueue' | 'goProjects' | 'goAnalytics' | 'goLearnings')
  | ('create' | 'nextExample' | 'exampleBefore' | 'inOrOut');
type QueueCommand = Exclude<Command, HandledElsewhere>;
/** Commands that need no open item. */
export type ListCommand =
  | ('down' | 'up' | 'open' | 'peek' | 'select' | 'selectTo' | 'show' | 'view' | 'filter')
  | ('next' | 'pause' | 'leave');
/** Commands of the open item. */
export type ItemCommand = Exclude<QueueCommand, ListCommand>;

export interface CommandHandler {
  /** Whether the command is available. */
  readonly can: () => boolean;
  readonly run: (event: KeyboardEvent | null) => unknown;
}

export type CommandHandlers<C extends QueueCommand> = Record<C, CommandHandler>;
