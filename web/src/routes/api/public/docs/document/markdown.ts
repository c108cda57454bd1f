// Parses the Markdown subset of descriptions: paragraphs, lists, `code`, **bold** and links. Never produces HTML.

export interface Piece {
  kind: 'text' | 'code' | 'bold' | 'link';
  text: string;
  /** The target of a link: a part of this page or a web URL. */
  href?: string;
}

export interface Block {
  kind: 'paragraph' | 'list';
  /** One line for a paragraph, one for each point of a list. */
  lines: Piece[][];
}

const PIECE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:\/\/|[#/])[^)\s]*)\)/g;

/** Splits a text into blocks; unknown syntax stays as written. */
export function blocksOf(markdown: string): Block[] {
  return markdown
    .split(/\n\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const lines = text.split('\n');
      if (!lines.every((line) => /^[-*] /.test(line))) return { kind: 'paragraph', lines: [piecesOf(lines.join(' '))] };
      return { kind: 'list', lines: lines.map((line) => piecesOf(line.slice(2))) };
    });
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of line.matchAll(PIECE)) {
    if (match.index > end) pieces.push({ kind: 'text', text: line.slice(end, match.index) });
    const [whole, code, bold, text, href] = match;
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (bold !== undefined) pieces.push({ kind: 'bold', text: bold });
    else pieces.push({ kind: 'link', text: text ?? '', href: href ?? '' });
    end = match.index + whole.length;
  }
  if (end < line.length) pieces.push({ kind: 'text', text: line.slice(end) });
  return pieces;
}
