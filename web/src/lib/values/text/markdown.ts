// Parses Markdown into tokens. The page creates elements from them one by one, so that nothing of it is ever HTML.
import { Marked, type Token } from 'marked';

export type { Token } from 'marked';

const parser = new Marked({ gfm: true, breaks: true });

/** The tokens of a text; null when it cannot be parsed as Markdown. */
export function markdownTokens(text: string): Token[] | null {
  try {
    return parser.lexer(text);
  } catch {
    return null;
  }
}
