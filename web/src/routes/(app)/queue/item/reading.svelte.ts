// Display settings of the open item: rendered or raw, and what is shown beside it.

export class Reading {
  /** Values as JSON text instead of rendered. */
  raw = $state(false);
  /** The changes of the edit, beside the suggestion. */
  diff = $state(true);
  /** The input of the open item is folded to its heading. */
  folded = $state(false);
  /** Words are looked for in input and suggestion. */
  finding = $state(false);
  /** The project's guidelines are open. */
  guidelines = $state(false);
  /** The details are open below the item, where there is no room beside it. */
  details = $state(false);
  /** Opens the form that revises the shown decision; null where there is none to open. */
  revise: (() => unknown) | null = $state.raw(null);
}
