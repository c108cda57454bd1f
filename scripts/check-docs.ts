// `npm run check:docs`: checks the paths, rules, links and words of documents, and the opening lines of files.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { wordFaults } from './lib/checks/banned-words.ts';
import {
  anchorsOf,
  citationFaults,
  decisionFaults,
  fileListFaults,
  type NamedPath,
  pathsNamed,
  ruleFaults,
  rulesListed,
  titlesIn,
} from './lib/checks/doc-faults.ts';
import { readFlags } from './lib/commands/read-flags.ts';
import { openingFaults } from './lib/checks/opening-lines.ts';

const ROOT = join(import.meta.dirname, '..');
/** Where a bare path in backticks may start from, besides the root and the document's own folder. */
const ROOMS = ['server/src', 'web/src', 'shared/src'];

/** About the hardware wallet of that name. */
const LEDGER_WALLET = ['server/src/crypto/sign-in-vectors.test.ts', 'web/src/routes/no-hardware-wallet-claims.test.ts'];
/** Files whose opening comment is still too long. Shorten it and remove the entry; add none. */
const LONG_OPENINGS = [
  'web/src/lib/values/TextValue.svelte',
  'web/src/lib/values/ValueTools.svelte',
  'web/src/lib/values/classify.ts',
  'web/src/lib/values/table/TableValue.svelte',
  'web/src/lib/values/text/ConfirmedLink.svelte',
  'web/src/lib/values/text/GuidelinesText.svelte',
  'web/src/lib/values/text/guidelines-rules.ts',
  'web/src/lib/values/text/segments.test.ts',
  'web/src/routes/(app)/queue/session/heartbeat.test.ts',
  'web/src/routes/(app)/queue/session/next-item.test.ts',
];

readFlags(`Usage: npm run check:docs

  Checks the paths, rules, links and words of documents, and the opening lines of files. Ends with 1 when something is wrong.`);

const documents = find(['*.md', 'docs/**/*.md']);
const tests = find(['{shared,server,web,scripts,e2e}/**/*.{test,contract}.ts']);
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const isInRoot = (path: string) => existsSync(join(ROOT, path));

const faults = [
  ...pathFaults(),
  ...ruleFaults(
    rulesListed(read('docs/RULES.md')),
    tests.flatMap((file) => titlesIn(read(file))),
  ),
  ...lostDecisions(),
  ...lostCitations(),
  ...lostAnchors(),
  ...submissionFaults(),
  ...deliveryFaults(),
  ...bannedWords(),
  ...longOpenings(),
];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;

function find(patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT, exclude: (name) => basename(name) === 'node_modules' }).sort();
}

function pathFaults(): string[] {
  const made = madeAtRuntime();
  const starts = new Set(
    [ROOT, ...ROOMS.map((room) => join(ROOT, room))].flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder) : [],
    ),
  );
  return documents.flatMap((document) =>
    pathsNamed(read(document), starts)
      .filter((named) => !made.some((entry) => `${named.path}/`.startsWith(entry)) && !exists(document, named))
      .map((named) => `${document} names ${named.path}, which does not exist: correct the path or remove the line.`),
  );
}

/** Builds and runs create what .gitignore lists: documents may name it. */
function madeAtRuntime(): string[] {
  return read('.gitignore')
    .split('\n')
    .filter((line) => line.endsWith('/'));
}

function exists(document: string, { path, kind }: NamedPath): boolean {
  const folders = kind === 'link' ? [dirname(document)] : [dirname(document), '.', ...ROOMS];
  // Brackets are SvelteKit's parameters here, not a pattern.
  return folders.some((folder) =>
    path.includes('*') ? globSync(join(folder, path), { cwd: ROOT }).length > 0 : existsSync(join(ROOT, folder, path)),
  );
}

/** The way of a submission names files that exist, and no more than a reader can follow. */
function submissionFaults(): string[] {
  return fileListFaults(read('docs/ARCHITECTURE.md'), '### A submission', { exists: isInRoot, required: [], most: 20 });
}

/** The way from a decision to its webhook names every file of delivery, and no more than a reader can follow. */
function deliveryFaults(): string[] {
  const required = find(['server/src/delivery/**/*.ts', 'server/src/domain/webhooks/*.ts']).filter(
    (file) => !/(?:\.test|\/inbound|\/fetch-media)\.ts$/.test(file),
  );
  return fileListFaults(read('docs/ARCHITECTURE.md'), '#### From a decision to its webhook', {
    ...{ exists: isInRoot, required, most: 30 },
  });
}

function lostDecisions(): string[] {
  const linked = documents.flatMap((document) =>
    pathsNamed(read(document), new Set())
      .map(({ path }) => normalize(join(dirname(document), path)))
      .filter((target) => target !== document),
  );
  return decisionFaults(
    find(['docs/decisions/*']).map((file) => relative('docs/decisions', file)),
    new Set(linked),
  );
}

/** Citations in comments, titles and messages. Tests of this check, and test fixtures, are exempt. */
function lostCitations(): string[] {
  const sources = find(['{shared,server,web,scripts,e2e}/**/*.{ts,svelte}', '*.{ts,js,mjs}', '.*.mjs']);
  const page = (path: string) => (existsSync(join(ROOT, path)) ? read(path) : undefined);
  return sources
    .filter((file) => !file.startsWith('scripts/') || !file.includes('doc-faults'))
    .flatMap((file) => citationFaults(file, read(file), page));
}

/** Comments, sentences, test titles, documents and snippets in words that a stranger would have to ask about. */
function bannedWords(): string[] {
  const sources = find([
    '{shared,server,web,scripts,e2e}/**/*.{ts,svelte}',
    '*.{ts,js,mjs}',
    '.*.mjs',
    '*.md',
    'docs/**/*.md',
    'docs/snippets/*',
    'docs/recipes/**/*.{ts,mjs,yml}',
    'deploy/*',
    'docker-compose.yml',
    'Dockerfile',
  ]);
  return sources
    .filter(
      (file) =>
        !file.includes('banned-words') &&
        !LEDGER_WALLET.includes(file) &&
        !file.startsWith('server/src/db/migrations/'),
    )
    .flatMap((file) => wordFaults(file, read(file)));
}

/** Files that do not open with one line of at most 120 characters. */
function longOpenings(): string[] {
  return find(['{shared,server,web}/src/**/*.{ts,svelte}', '{scripts,server/test,e2e}/**/*.ts'])
    .filter((file) => !LONG_OPENINGS.includes(file))
    .flatMap((file) => openingFaults(file, read(file)));
}

/** Links between documents to a heading that does not exist. */
function lostAnchors(): string[] {
  return documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)].flatMap(([, path = '', anchor = '']) => {
      const target = path === '' ? document : normalize(join(dirname(document), path));
      const there = /^[a-z]+:/.test(path) || !existsSync(join(ROOT, target)) || anchorsOf(read(target)).has(anchor);
      return there ? [] : [`${document} links to ${path}#${anchor}, which has no such heading: correct the link.`];
    }),
  );
}
