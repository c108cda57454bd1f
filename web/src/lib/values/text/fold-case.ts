// Makes upper and lower case one for finding words, so that places in the result are places in the text. Pure.

/** Letters that change, and the sigma at the end of a word, which is written in another way in lower case alone. */
const CHANGED = /[\p{Changes_When_Lowercased}ς]/gu;

/** The text in lower case, with the same length: a letter whose lower case is longer stays as it is. */
export const foldCase = (text: string): string =>
  text.replace(CHANGED, (letter) => {
    const small = letter === 'ς' ? 'σ' : letter.toLocaleLowerCase();
    return small.length === letter.length ? small : letter;
  });
