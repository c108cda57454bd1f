// Parses guidelines for reviewers: each paragraph a numbered rule, with a small safe subset of Markdown. Never produces HTML.

/** A run of text. Everything except links and marks is text at every level. */
export interface Piece {
  kind: 'text' | 'bold' | 'code' | 'link';
  text: string;
  href?: string;
}

export type Block =
  | { kind: 'heading'; pieces: Piece[] }
  /** A paragraph, or a separate list: one rule, with its number. */
  | { kind: 'rule'; number: number; parts: Part[] };

/** Lines of one part; each line of a paragraph remains a separate line. */
export interface Part {
  kind: 'lines' | 'bullets' | 'numbers';
  lines: Piece[][];
}

const PIECE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g;
const HEADING = /^#{1,4} +/;
const BULLET = /^[-*] +/;
const NUMBER = /^\d{1,3}[.)] +/;

/** Blank lines separate the rules; a line that begins with `#` is a heading and has no number. */
export function rulesOf(text: string): Block[] {
  const blocks: Block[] = [];
  let number = 0;
  for (const paragraph of text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n/)) {
    let lines = paragraph.split('\n').filter((line) => line.trim() !== '');
    while (lines[0] !== undefined && HEADING.test(lines[0])) {
      blocks.push({ kind: 'heading', pieces: piecesOf(lines[0].replace(HEADING, '').trim()) });
      lines = lines.slice(1);
    }
    if (lines.length > 0) blocks.push({ kind: 'rule', number: (number += 1), parts: partsOf(lines) });
  }
  return blocks;
}

function kindOf(line: string): Part['kind'] {
  return BULLET.test(line) ? 'bullets' : NUMBER.test(line) ? 'numbers' : 'lines';
}

function partsOf(lines: string[]): Part[] {
  const parts: Part[] = [];
  for (const line of lines.map((each) => each.trim())) {
    const kind = kindOf(line);
    const pieces = piecesOf(line.replace(kind === 'bullets' ? BULLET : kind === 'numbers' ? NUMBER : '', ''));
    const last = parts.at(-1);
    if (last?.kind === kind) last.lines.push(pieces);
    else parts.push({ kind, lines: [pieces] });
  }
  return parts;
}

/** Unrecognized syntax stays as written. */
function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    if (match.index > end) pieces.push({ kind: 'text', text: line.slice(end, match.index) });
    const [whole, code, bold, label, href] = match;
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (bold !== undefined) pieces.push({ kind: 'bold', text: bold });
    else pieces.push({ kind: 'link', text: label ?? '', href: href ?? '' });
    end = match.index + whole.length;
  }
  if (end < line.length) pieces.push({ kind: 'text', text: line.slice(end) });
  return pieces;
}
