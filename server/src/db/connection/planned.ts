// The statements that run all the time, and what each is called on a connection that has planned it (decision 0009).

const names = new Map<string, string>();

/**
 * Marks a statement that runs all the time: each connection plans it once. `text` is a constant of the program; as many as there
 * are different texts stay planned for as long as the process lives.
 */
export function planned(text: string): string {
  if (!names.has(text)) names.set(text, `countersign_${names.size + 1}`);
  return text;
}

/** What a planned statement is called on every connection of this process; undefined for any other text. */
export const planNameOf = (text: string): string | undefined => names.get(text);
