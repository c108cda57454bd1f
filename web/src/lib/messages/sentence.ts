// A sentence that names something people named: the name stands apart, so that what is in it changes nothing around it.
/** What comes before the name, the name, and what comes after. */
export type Sentence = readonly [before: string, name: string, after: string];
