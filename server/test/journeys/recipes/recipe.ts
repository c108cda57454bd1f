// Runs the recipes of docs/recipes as stored: copied as their README says, with the client from its sources.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
export const RECIPES = join(ROOT, 'docs/recipes');

/** The entry points of @countersign/client, with their sources. */
const CLIENT = { '.': 'shared/src/client.ts', './webhook': 'shared/src/webhook.ts' };

/**
 * Copies a recipe and what all share into an empty folder. `packages` names a source for each package that this
 * repository does not have. The folder is removed when the test ends.
 */
export function copyRecipe(name: string, packages: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), `countersign-recipe-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(RECIPES, 'countersign.ts'), join(folder, 'countersign.ts'));
  cpSync(join(RECIPES, name), folder, { recursive: true });
  install(folder, '@countersign/client', CLIENT);
  for (const [packageName, source] of Object.entries(packages)) install(folder, packageName, { '.': source });
  return folder;
}

/** Gives the copy of a recipe a package that this repository has. */
export function linkPackage(folder: string, name: string): void {
  symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), 'junction');
}

/** A package of one module per entry point, which re-exports a source file of this repository. */
function install(folder: string, name: string, entries: Readonly<Record<string, string>>): void {
  const home = join(folder, 'node_modules', name);
  mkdirSync(home, { recursive: true });
  const exports = Object.entries(entries).map(([entry, source], at) => {
    const file = `./${at}.js`;
    writeFileSync(join(home, file), `export * from '${pathToFileURL(join(ROOT, source)).href}';\n`);
    return [entry, file];
  });
  const manifest = { name, type: 'module', exports: Object.fromEntries(exports) as object };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
}

/** A running program of a recipe. */
export interface Program {
  /** Everything that it has written. */
  output(): string;
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Ends it as SIGTERM does, or as a lost machine does. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts a program; it is killed when the test ends. */
export function startProgram(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Program {
  const child: ChildProcess = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = (once(child, 'close') as Promise<[number | null]>).then(([code]) => code);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  onTestFinished(() => kill());
  return { output: () => output, ended, kill, signal: (name) => void child.kill(name) };
}

/** Waits until the program has written this. Throws with its output when it never does, or when it ends before. */
export async function expectOutput(program: Program, text: string): Promise<void> {
  await expect.poll(program.output).toContain(text);
}

/** Lets a server listen on a free port of this machine until the test ends. Returns its URL, without a slash at the end. */
export async function listenDuringTest(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
