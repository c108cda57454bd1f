// Reads Markdown into tokens, with formulas, and gives up on a text that takes too long.
import { Marked, type Token, type Tokens } from 'marked';
import { leadingFormula } from '../kinds/math.ts';

/**
 * How long a text may take, in ms: a hundred times as long as an honest one of the greatest length. The parser takes
 * minutes for some texts of a few thousand characters, such as nested quotes, and the page would stand still meanwhile.
 */
const LONGEST_MS = 1_000;

/** When the text that is being read must be done, by the clock of its call. */
let limit = { now: () => 0, end: Infinity };

/** The parser asks for extensions at each step. */
function checkTime(): void {
  if (limit.now() > limit.end) throw new Error('The text takes too long to read.');
}

/** A formula at the start of a text, before the parser takes its underscores for emphasis. */
function formulaAt(type: 'mathBlock' | 'mathRun', src: string) {
  const formula = leadingFormula(src);
  return formula === null ? undefined : { type, raw: formula.text };
}

const parser = new Marked({ gfm: true, breaks: true }).use({
  extensions: [
    {
      name: 'mathBlock',
      level: 'block',
      start: (src) => /^(?:\$\$|\\\[)/m.exec(src)?.index,
      tokenizer: (src) => {
        checkTime();
        return /^(?:\$\$|\\\[)/.test(src) ? formulaAt('mathBlock', src) : undefined;
      },
    },
    {
      name: 'mathRun',
      level: 'inline',
      start: (src) => /\$|\\[([]/.exec(src)?.index,
      tokenizer: (src) => {
        checkTime();
        return /^(?:\$|\\[([])/.test(src) ? formulaAt('mathRun', src) : undefined;
      },
    },
  ],
});

/** The tokens of a text; null when it cannot be read as Markdown in time. Elements are created from them, so that nothing is ever HTML. */
export function markdownTokens(text: string, now = () => performance.now()): Token[] | null {
  limit = { now, end: now() + LONGEST_MS };
  try {
    return parser.lexer(text);
  } catch {
    return null;
  }
}

/** A pipe behind an odd number of backslashes is a character of its cell, without the last of them. */
const withoutPipeEscapes = (row: string): string =>
  row.replaceAll(/(\\+)\|/g, (escaped, slashes: string) =>
    slashes.length % 2 === 1 ? `${slashes.slice(1)}|` : escaped,
  );

/** The characters of cells, without white space and the pipes between cells. */
const charactersOf = (cells: string): string => cells.replaceAll(/[\s|]/g, '');

/** Whether a table has all the cells that are written in its source: the parser drops those beyond its header. */
export function hasAllCells({ raw, header, rows }: Pick<Tokens.Table, 'raw' | 'header' | 'rows'>): boolean {
  const written = withoutPipeEscapes(raw.split('\n').toSpliced(1, 1).join('\n'));
  const read = [header, ...rows].flat().map(({ text }) => text);
  return charactersOf(written) === charactersOf(read.join(''));
}

/** The number of an item as its source has it; undefined in a list without numbers. */
export function writtenNumber({ raw }: Pick<Tokens.ListItem, 'raw'>): number | undefined {
  const digits = /^\s*(\d{1,9})[.)]/.exec(raw)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
