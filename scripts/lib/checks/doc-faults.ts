// Finds faults between documents, rules and tests, as pure functions over their text.
import ts from 'typescript';

/** A rule's number as a title quotes it: `RT1`, `I4`. */
const NUMBER = /\b[A-Z]{1,2}\d{1,2}\b/g;

/** A line that states a rule; `PM` is one rule without a number. */
const RULE_LINE = /^\s*(?:[-*] |\| ?)\*\*([A-Z]{1,3}\d*)\*\*/gm;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const CODE = /(?<!`)`([^`\n]+)`(?!`)/g;
const FENCE = /^```[\s\S]*?^```/gm;

/** A path: at least one slash or a file ending, and none of the characters of prose, addresses and patterns for readers. */
const PATH =
  /^(?![/~$@#])(?=.*(?:\/|\.(?:ts|js|mjs|json|md|svelte|yml|png|jsonl)$))[\w.@+*()[\]-]+(?:\/[\w.@+*()[\]-]+)*\/?$/;

export interface NamedPath {
  path: string;
  /** A link counts from the document's folder, code also from the rooms. */
  kind: 'link' | 'code';
}

/** The paths a document names in links and in backticks, fenced blocks left out. `rooms` are the folders a bare path may start with. */
export function pathsNamed(markdown: string, rooms: ReadonlySet<string>): NamedPath[] {
  const prose = markdown.replace(FENCE, '');
  const links = [...prose.matchAll(LINK)].map((match) => (match[1] ?? '').replace(/#.*$/, ''));
  const code = [...prose.matchAll(CODE)].map((match) => match[1] ?? '');
  return [
    ...links.filter((path) => path !== '' && !/^[a-z]+:/.test(path)).map((path) => ({ path, kind: 'link' as const })),
    ...code.filter((path) => looksLikePath(path, rooms)).map((path) => ({ path, kind: 'code' as const })),
  ];
}

function looksLikePath(text: string, rooms: ReadonlySet<string>): boolean {
  if (!PATH.test(text)) return false;
  return rooms.has(text.split('/')[0] ?? '') || /[\w\])]\.(?:ts|js|mjs|md|svelte)$/.test(text);
}

/** A document that code cites, with the section after `#`. */
const CITED_DOCUMENT = /(?<![\w/.-])((?:[\w-]+\/)+[\w-]+\.md)(?:#([\w-]+))?/g;
/** Citations of documents that are not public. */
const CITED_OUTSIDE =
  /\b(?:CONTRACT|QUALITY|EXPERIENCE|PRODUCT)\b(?!_)|\b[Ss]pecification,? sections? \d|\bsecurity [A-Z]\d/g;

/** The anchors that a renderer gives to the headings of a document. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.replace(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/**
 * One line per citation in `source` that a reader of the repository cannot follow. `read` returns the text of a document by its
 * path from the root, and undefined where there is none.
 */
export function citationFaults(file: string, source: string, read: (path: string) => string | undefined): string[] {
  const cited = [...source.matchAll(CITED_DOCUMENT)].map(([text, path = '', section]) => {
    const document = read(path);
    if (document === undefined)
      return `${file} cites ${path}, which does not exist: cite a page of docs/ or leave it out.`;
    if (section === undefined || anchorsOf(document).has(section)) return null;
    return `${file} cites ${text}, but that page has no such section: cite one of its headings.`;
  });
  const outside = [...source.matchAll(CITED_OUTSIDE)].map(
    ([text]) => `${file} cites “${text}”, which is not in the repository: cite a page of docs/spec/ or a rule.`,
  );
  return [...cited.filter((fault) => fault !== null), ...outside];
}

/** The rules a RULES.md states: a list item or table row that opens with the bold number. */
export function rulesListed(markdown: string): string[] {
  return [...markdown.matchAll(RULE_LINE)].map((match) => match[1] ?? '');
}

/** The titles a test file gives to `describe`, `it` and `test`, with any modifiers (`it.each(…)('title')`). */
export function titlesIn(source: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isCallExpression(node) && opensTest(node.expression) ? node.arguments[0] : undefined;
    if (title !== undefined && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
      titles.push(title.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('titles.ts', source, ts.ScriptTarget.Latest, true));
  return titles;
}

function opensTest(callee: ts.Expression): boolean {
  if (ts.isIdentifier(callee)) return ['describe', 'it', 'test'].includes(callee.text);
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return opensTest(callee.expression);
  return ts.isTaggedTemplateExpression(callee) && opensTest(callee.tag);
}

/** One line per rule without a test, per number quoted without a rule, and per rule stated twice. */
export function ruleFaults(listed: readonly string[], titles: readonly string[]): string[] {
  const quoted = new Set(titles.flatMap((title) => title.match(NUMBER) ?? []));
  const untested = listed.filter((rule) => !titles.some((title) => new RegExp(`\\b${rule}\\b`).test(title)));
  const unstated = [...quoted].filter((rule) => !listed.includes(rule));
  const twice = listed.filter((rule, index) => listed.indexOf(rule) !== index);
  return [
    ...untested.map(
      (rule) =>
        `docs/RULES.md states ${rule} but no test title quotes it: name it in the title of the test that shows it.`,
    ),
    ...unstated.map(
      (rule) => `A test title quotes ${rule}, which docs/RULES.md does not state: add the rule or correct the title.`,
    ),
    ...twice.map(
      (rule) => `docs/RULES.md states ${rule} twice: a rule has one home, so give one of them its own number.`,
    ),
  ];
}

/** One line per decision that no document links, and per number that is taken twice. `files` are names within docs/decisions. */
export function decisionFaults(files: readonly string[], linked: ReadonlySet<string>): string[] {
  const number = (file: string) => file.slice(0, 4);
  const odd = files.filter((file) => !/^\d{4}-[a-z0-9-]+\.md$/.test(file));
  const twice = files.filter((file, index) => files.findIndex((other) => number(other) === number(file)) !== index);
  const lost = files.filter((file) => !linked.has(`docs/decisions/${file}`));
  return [
    ...odd.map((file) => `docs/decisions/${file} is not named like 0001-a-few-words.md: rename it.`),
    ...twice.map((file) => `docs/decisions/${file} takes a number that is in use: give it the next free one.`),
    ...lost.map((file) => `docs/decisions/${file} is linked from no other document: add it to docs/ARCHITECTURE.md.`),
  ];
}

/** A line of a list of files: its number and its path. */
const LISTED_FILE = /^(\d+)\. `([^`]+)`/gm;

/**
 * What is wrong with the list of files in this section of a document: they are numbered in order, each is there and listed once,
 * they are no more than `most`, and all of `required` are among them.
 */
export function fileListFaults(
  markdown: string,
  heading: string,
  { exists, required, most }: { exists: (path: string) => boolean; required: readonly string[]; most: number },
): string[] {
  const [, section = ''] = markdown.split(`\n${heading}\n`);
  const entries = [...section.replace(/(?:^|\n)#[\s\S]*/, '').matchAll(LISTED_FILE)];
  const files = entries.map(([, , path = '']) => path);
  return [
    ...(files.length === 0 ? [`"${heading}" lists no files: write them as a numbered list.`] : []),
    ...(files.length > most ? [`"${heading}" lists ${files.length} files: merge some, ${most} are the limit.`] : []),
    ...entries.flatMap(([, number = '', path = ''], index) =>
      Number(number) === index + 1 ? [] : [`"${heading}" numbers ${path} ${number}: it is number ${index + 1}.`],
    ),
    ...files.flatMap((path, index) => (files.indexOf(path) < index ? [`"${heading}" lists ${path} twice.`] : [])),
    ...files.filter((path) => !exists(path)).map((path) => `"${heading}" lists ${path}, which does not exist.`),
    ...required.filter((path) => !files.includes(path)).map((path) => `"${heading}" does not list ${path}.`),
  ];
}
