// A sentence with a user-entered name: the name is isolated, so that its content changes nothing around it.
/** The text before the name, the name, and the text after it. */
export type Sentence = readonly [before: string, name: string, after: string];
