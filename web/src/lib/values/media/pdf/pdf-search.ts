// Finds words in the texts of PDF pages: a phrase may run on over pieces and lines, upper and lower case are one.
import { foldCase } from '../../text/fold-case.ts';

/** A piece of text as a page draws it. */
export interface Piece {
  text: string;
  /** It ends a line. */
  ends: boolean;
}

/** The text of one page, which counts from 0. */
export interface PageText {
  page: number;
  pieces: readonly Piece[];
}

/** A match: where it begins and ends, as an index of a piece and a character of it. */
export interface Hit {
  page: number;
  from: { piece: number; at: number };
  to: { piece: number; at: number };
}

/** The most hits that are counted. */
export const MOST_HITS = 1000;

/** The hits on one page, at most `most`. A space in the wanted text matches any run of spaces and line ends. */
export function hitsOn({ page, pieces }: PageText, wanted: string, most = MOST_HITS): Hit[] {
  const sought = foldCase(wanted).trim().replaceAll(/\s+/g, ' ');
  if (sought === '') return [];
  const { text, places } = joined(pieces);
  const hits: Hit[] = [];
  for (let at = text.indexOf(sought); at !== -1 && hits.length < most; at = text.indexOf(sought, at + sought.length)) {
    const [from, last] = [places[at], places[at + sought.length - 1]];
    if (from !== undefined && last !== undefined) hits.push({ page, from, to: { piece: last.piece, at: last.at + 1 } });
  }
  return hits;
}

/** One text with single spaces, and the place that each of its characters has in the pieces. */
function joined(pieces: readonly Piece[]): { text: string; places: Hit['from'][] } {
  const letters: string[] = [];
  const places: Hit['from'][] = [];
  const add = (letter: string, place: Hit['from']) => {
    const space = /\s/.test(letter);
    if (space && (letters.length === 0 || letters.at(-1) === ' ')) return;
    letters.push(space ? ' ' : letter);
    places.push(place);
  };
  for (const [piece, { text, ends }] of pieces.entries()) {
    const lower = foldCase(text);
    for (let at = 0; at < lower.length; at += 1) add(lower[at] ?? '', { piece, at });
    if (ends) add(' ', { piece, at: Math.max(0, text.length - 1) });
  }
  return { text: letters.join(''), places };
}
