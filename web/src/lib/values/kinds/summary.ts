// The kind of a value in words, for the heading above it.
import type { Shape } from '../classify.ts';
import { unifiedDiffLines } from './unified-diff.ts';

const of = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
const lines = (text: string) => of(text.split('\n').length, 'line');

/** `text, 4 lines`, `conversation, 3 turns`, `table, 12 rows`, `4 fields`; empty where the value says it itself. */
export function summary(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
    case 'math':
      return `text, ${lines(shape.text)}`;
    case 'markdown':
      return `Markdown, ${lines(shape.text)}`;
    case 'code':
      return `code, ${lines(shape.code.text)}`;
    case 'json':
      return 'JSON in a text';
    case 'html':
      return `HTML, ${lines(shape.text)}`;
    case 'diff':
      return diffSummary(shape.text);
    case 'call':
      return shape.listed ? of(shape.calls.length, 'tool call') : 'tool call';
    case 'cited':
      return `answer, ${of(shape.cited.sources.entries.length, 'source')}`;
    case 'chat':
      return `conversation, ${of(shape.turns.length, 'turn')}`;
    case 'table':
      return `table, ${of(shape.rows.length, 'row')}`;
    case 'fields':
      return of(shape.fields.length, 'field');
    case 'list':
      return `list of ${shape.items.length}`;
    case 'scalar':
      return shape.type;
    case 'moment':
      return 'moment';
    case 'media':
      return 'picture';
    case 'field':
      return '';
    case 'tree':
      return Array.isArray(shape.value) ? `list of ${shape.value.length}` : 'JSON';
  }
}

function diffSummary(text: string): string {
  const all = unifiedDiffLines(text);
  const count = (kind: string) => all.filter((line) => line.kind === kind).length;
  return `diff, ${count('added')} added, ${count('removed')} removed`;
}
