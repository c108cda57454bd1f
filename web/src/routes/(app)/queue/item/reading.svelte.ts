// How the reader wants the item on show: as it reads or as it was sent, and what stands beside it.

export class Reading {
  /** Values as JSON text instead of drawn. */
  raw = $state(false);
  /** What the edit changed, beside the suggestion. */
  diff = $state(true);
  /** The project's guidelines are open. */
  guidelines = $state(false);
  /** Where there is no room for them beside the item, its details are open below it. */
  details = $state(false);
}
