// Display settings of the open item: rendered or raw, and what is shown beside it.

export interface Reading {
  /** Values as JSON text instead of rendered. */
  raw: boolean;
  /** The changes of the edit, beside the suggestion. */
  diff: boolean;
  /** The input of the open item is folded to its heading. */
  folded: boolean;
  /** Words are looked for in input and suggestion. */
  finding: boolean;
  /** The project's guidelines are open. */
  guidelines: boolean;
  /** The details are open below the item, where there is no room beside it. */
  details: boolean;
  /** Opens the form that revises the shown decision; null where there is none to open. */
  revise: (() => unknown) | null;
}

/** The settings at first, as reactive state. */
export function newReading(): Reading {
  const reading = $state<Reading>({
    raw: false,
    diff: true,
    folded: false,
    finding: false,
    guidelines: false,
    details: false,
    revise: null,
  });
  return reading;
}
