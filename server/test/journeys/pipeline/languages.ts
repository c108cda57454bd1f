// The snippets of docs/snippets/languages.json, which README and API documentation lead with, and how each runs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SHARED_BYTECODE } from '../../python-bytecode.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, 'docs/snippets');

export interface LanguageSnippet {
  id: string;
  name: string;
  file: string;
  /** What it prints when people approve, and when they reject with the reason “Policy”; `…` stands for any text. */
  approved: string;
  rejected: string;
}

export interface Command {
  program: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

export const readSnippet = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

export const LANGUAGES = JSON.parse(readSnippet('languages.json')) as readonly LanguageSnippet[];

/** What a program of Python imports besides `countersign`. */
const MODULES: Readonly<Record<string, string>> = {
  python: 'httpx',
  langgraph: 'langchain_openai',
  'openai-agents': 'agents',
  'pydantic-ai': 'pydantic_ai',
};

const urlOf = (path: string): string => pathToFileURL(join(ROOT, path)).href;

/** The npm packages of this repository, by their sources: npm-packages.test.ts tests what is built from them. */
const PACKAGES = {
  '@countersign/client': urlOf('shared/src/client.ts'),
  '@countersign/ai-sdk': urlOf('sdk/ai-sdk/src/index.ts'),
};
const HOOK = `import { registerHooks } from 'node:module';
const packages = ${JSON.stringify(PACKAGES)};
registerHooks({ resolve: (name, context, next) => next(packages[name] ?? name, context) });`;

/** With the package installed, or else with its sources. */
const PYTHON: Command =
  process.env.PYTHON_SDK === undefined
    ? { program: 'python3', args: [], env: { ...SHARED_BYTECODE, PYTHONPATH: join(ROOT, 'sdk/python/src') } }
    : { program: process.env.PYTHON_SDK, args: [], env: SHARED_BYTECODE };

/**
 * The programs that can run here, each with its command; prints a line about the others. Throws when REQUIRE_SERVICES=1 and curl is
 * missing, or a package in the environment of PYTHON_SDK.
 */
export function programsHere(): [LanguageSnippet, Command][] {
  const missing: string[] = [];
  const programs = LANGUAGES.filter(({ file }) => !file.endsWith('.json')).flatMap((snippet) => {
    const command = commandOf(snippet);
    if (command === undefined) missing.push(snippet.file);
    return command === undefined ? [] : [[snippet, command] satisfies [LanguageSnippet, Command]];
  });
  if (missing.length > 0) {
    const line = `No curl, no Python 3.10 with httpx, or no agent framework in it: ${missing.join(', ')} are not run.`;
    const isRequired = missing.some((file) => !file.endsWith('.py') || process.env.PYTHON_SDK !== undefined);
    if (process.env.REQUIRE_SERVICES === '1' && isRequired) throw new Error(`${line} REQUIRE_SERVICES=1 forbids that.`);
    process.stderr.write(`SKIPPED  ${line}\n`);
  }
  return programs;
}

/** Undefined where something that it needs is not installed. */
function commandOf({ id, file }: LanguageSnippet): Command | undefined {
  const path = join(FOLDER, file);
  if (file.endsWith('.ts')) {
    const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
    const model = id === 'ai-sdk' ? ['--import', urlOf('server/test/fixtures/ai-sdk-model.ts')] : [];
    return { program: process.execPath, args: ['--import', hook, ...model, path] };
  }
  if (file.endsWith('.sh')) return runs('curl', ['--version']) ? { program: 'sh', args: [path] } : undefined;
  const found = `importlib.util.find_spec("${MODULES[id] ?? ''}")`;
  const needs = `import importlib.util, sys; assert sys.version_info >= (3, 10) and ${found}`;
  return runs(PYTHON.program, ['-c', needs]) ? { ...PYTHON, args: [path] } : undefined;
}

const runs = (program: string, args: readonly string[]): boolean => spawnSync(program, args).status === 0;

/** Matches the whole output of a snippet. */
export function outputOf(printed: string): RegExp {
  const parts = printed.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}\n?$`);
}

/** The text with `${NAME}` replaced, as hosts do with their configuration. */
export const filledIn = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '');
