// Runs the snippets of docs/snippets exactly as they are stored, in the languages this machine has.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../../../src/embedded/address.ts';

const FOLDER = join(import.meta.dirname, '../../../../docs/snippets');
const TOOLS = { sh: ['curl', 'openssl'], ts: [], py: ['python3'] } as const satisfies Record<string, readonly string[]>;
const PROGRAMS = { sh: 'sh', ts: process.execPath, py: 'python3' } as const;
export type Language = keyof typeof TOOLS;

/** The languages that can run here; prints a line for each of the others. Throws when one is missing and REQUIRE_SERVICES=1. */
export function languagesHere(): Language[] {
  return (Object.keys(TOOLS) as Language[]).filter((language) => {
    const missing = TOOLS[language].filter((tool) => spawnSync(tool, ['version']).error !== undefined);
    if (missing.length === 0) return true;
    const line = `No ${missing.join(', ')}: the snippets *.${language} are not run.`;
    if (process.env.REQUIRE_SERVICES === '1') throw new Error(`${line} REQUIRE_SERVICES=1 does not allow that.`);
    process.stderr.write(`SKIPPED  ${line}\n`);
    return false;
  });
}

/** Runs a snippet that ends on its own; `code` is its exit code. */
export async function runSnippet(name: 'inbound' | 'tool-call', language: Language, env: Record<string, string>) {
  const child = spawn(PROGRAMS[language], [join(FOLDER, `${name}.${language}`)], { env: { ...process.env, ...env } });
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** A running `verify.*`, and its output so far. */
export interface SnippetReceiver {
  /** Sends it one request; resolves with its status. Header names in lower case. */
  post(headers: Record<string, string>, body: Buffer): Promise<number>;
  /** Everything it has written about accepted decisions. */
  taken(): string;
  stop(): Promise<void>;
}

/** Starts `verify.*` with this secret: the shell one as a CGI program, the others as servers. */
export function startVerify(language: Language, secret: string): Promise<SnippetReceiver> {
  const env = { ...process.env, COUNTERSIGN_WEBHOOK_SECRET: secret };
  return language === 'sh' ? Promise.resolve(cgi(env)) : served(language, env);
}

async function served(language: Language, env: NodeJS.ProcessEnv): Promise<SnippetReceiver> {
  const port = await freePort();
  const child = spawn(PROGRAMS[language], [join(FOLDER, `verify.${language}`)], {
    env: { ...env, PORT: String(port), PYTHONUNBUFFERED: '1' },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close');
  await listening(port, child);
  return {
    post: async (headers, body) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: new Uint8Array(body) })).status,
    // The access log of Python's server is no output about decisions.
    taken: () => output.replaceAll(/^.*"POST .*$/gm, ''),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

function cgi(env: NodeJS.ProcessEnv): SnippetReceiver {
  const cwd = mkdtempSync(join(tmpdir(), 'countersign-cgi-'));
  const decisions = join(cwd, 'decisions.jsonl');
  return {
    post: async (headers, body) => {
      const named = Object.entries(headers).map(([name, value]): [string, string] => [
        `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
        value,
      ]);
      const child = spawn('sh', [join(FOLDER, 'verify.sh')], { cwd, env: { ...env, ...Object.fromEntries(named) } });
      child.stdin.end(body);
      const answer = await text(child.stdout);
      return Number(/^Status: (\d{3})/.exec(answer)?.[1]);
    },
    taken: () => (existsSync(decisions) ? readFileSync(decisions, 'utf8') : ''),
    stop: async () => rmSync(cwd, { recursive: true }),
  };
}

/** Resolves when the port accepts connections. Throws when the process ended before. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const up = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (up) return;
  }
  throw new Error(`The snippet ended with ${child.exitCode} before it listened.`);
}
