// The parts of the analytics page that can be jumped to, by their ids in the URL.

/** `line` is linked from the rules of a project. */
export const SECTION_IDS = {
  flow: 'flow',
  quality: 'quality',
  people: 'people',
  delivery: 'delivery',
  thresholds: 'line',
} as const;
