// Markdown read into its parts. The page makes elements of them one by one, so that nothing of it is ever HTML.
import { Marked, type Token } from 'marked';

export type { Token } from 'marked';

const parser = new Marked({ gfm: true, breaks: true });

/** The parts of a text; null when it cannot be read as Markdown. */
export function markdownTokens(text: string): Token[] | null {
  try {
    return parser.lexer(text);
  } catch {
    return null;
  }
}
