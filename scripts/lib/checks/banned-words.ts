// Words that a stranger would have to ask about, and what engineers say instead. `npm run check:docs` refuses them.
import ts from 'typescript';

/** Each word with its replacement. Plurals and the forms in brackets are separate entries: the list is short on purpose. */
const BANNED_WORDS: Readonly<Record<string, string>> = {
  ledger: 'event log',
  ledgers: 'event logs',
  doorbell: 'notification channel',
  nudge: 'wake',
  keeper: 'retention job',
  emptied: 'redacted',
  lapse: 'expire',
  lapses: 'expires',
  lapsed: 'expired',
  reseal: 're-encrypt',
  pulse: 'project summary',
  desk: 'review session',
  tray: 'recent decisions',
  whereabouts: 'presence report',
  heedless: 'say which errors are ignored',
  zoo: 'bad receivers',
  world: 'test environment or seeded project',
  wording: 'reason variant',
  wordings: 'reason variants',
  anew: 'again',
  whoever: 'say who',
  whatever: 'say what',
  'full hands': 'claim limit reached',
  'so that nobody': 'say what it prevents',
};

interface Prose {
  line: number;
  text: string;
}

/** SQL names stored tables, columns and values, which keep their names. */
const SQL = /\b(?:select\s|insert into|update \w+ set|delete from|create index|vacuum|join \w+ |group by)/i;

/** The comments, sentences and test titles of a TypeScript or Svelte file, and every line of any other file. */
function proseOf(file: string, source: string): Prose[] {
  if (/\.[jt]s$|\.mjs$/.test(file)) return proseOfCode(source, 0);
  if (!file.endsWith('.svelte'))
    return source.split('\n').map((text, at) => ({ line: at + 1, text: withoutCode(text) }));
  const scripts = [...source.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].flatMap((match) =>
    proseOfCode(match[1] ?? '', lineAt(source, match.index + match[0].indexOf('>')) - 1),
  );
  const markup = [...source.matchAll(/<!--([\s\S]*?)-->/g)].map((match) => ({
    line: lineAt(source, match.index),
    text: withoutCode(match[1] ?? ''),
  }));
  return [...scripts, ...markup];
}

/** One line per banned word in the prose of a file. */
export function wordFaults(file: string, source: string): string[] {
  return proseOf(file, source).flatMap(({ line, text }) =>
    Object.entries(BANNED_WORDS)
      .filter(([word]) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i').test(text))
      .map(([word, instead]) => `${file}:${line} says “${word}”: ${instead}.`),
  );
}

function proseOfCode(source: string, before: number): Prose[] {
  const tree = ts.createSourceFile('prose.ts', source, ts.ScriptTarget.Latest, true);
  const found: Prose[] = [];
  const note = (at: number, text: string) => found.push({ line: before + lineAt(source, at), text: withoutCode(text) });
  const seen = new Set<number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.pos) ?? []) {
      if (!seen.has(pos)) note(pos, source.slice(pos, end));
      seen.add(pos);
    }
    const text = sentenceIn(node, tree);
    if (text !== null) note(node.getStart(tree), text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The text of a string that people read: a test title, or one with several words that is not SQL. */
function sentenceIn(node: ts.Node, tree: ts.SourceFile): string | null {
  if (ts.isTemplateExpression(node)) return SQL.test(node.getText(tree)) ? null : fixedParts(node);
  if (!ts.isStringLiteralLike(node)) return null;
  return isTitle(node, tree) || (/\s/.test(node.text) && !SQL.test(node.text)) ? node.text : null;
}

const fixedParts = ({ head, templateSpans }: ts.TemplateExpression): string =>
  [head.text, ...templateSpans.map(({ literal }) => literal.text)].join(' … ');

const isTitle = ({ parent }: ts.Node, tree: ts.SourceFile): boolean =>
  ts.isCallExpression(parent) && /^(?:describe|it|test)\b/.test(parent.expression.getText(tree));

const lineAt = (source: string, at: number): number => source.slice(0, at).split('\n').length;

/** What stands in backticks is code: a name on the wire, a column. */
const withoutCode = (text: string): string => text.replace(/`[^`]*`/g, '');
