// `npm run listen`: forwards the events of a project to a receiver on this machine, signed like webhooks.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeWebhookSecret } from '../server/src/crypto/webhook-secret.ts';
import { listen, ListenError, type Position } from './lib/commands/listen.ts';
import { LISTEN_USAGE, readListenArguments } from './lib/commands/listen-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';

/** Where the position is kept; its name tells neither the key nor the address. */
function positionFile(...of: string[]): string {
  const folder = join(process.env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'countersign');
  return join(folder, `listen-${createHash('sha256').update(of.join(' ')).digest('hex').slice(0, 16)}.json`);
}

async function load(file: string): Promise<Position | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Position);
}

/** Replaced as a whole: a crash leaves the old position or the new one. */
async function save(file: string, position: Position): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(position), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function main(): Promise<void> {
  const options = readListenArguments(process.argv.slice(2));
  if (options === 'help') return console.log(LISTEN_USAGE);
  const { baseUrl, apiKey, target, fromStart } = options;
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  const given = process.env['COUNTERSIGN_WEBHOOK_SECRET']?.trim();
  const secret = given || makeWebhookSecret();
  if (!given) console.log(`Signed with COUNTERSIGN_WEBHOOK_SECRET=${secret}`);
  console.log(`Forwarding the events of ${baseUrl} to ${target}. Stop with Ctrl+C.`);
  const file = positionFile(baseUrl, apiKey, target);
  await listen({
    ...{ baseUrl, apiKey, target, secret, fromStart, fetch },
    load: () => load(file),
    save: (position) => save(file, position),
    print: (line) => console.log(line),
    sleep: (ms) => delay(ms, undefined, { signal: stop.signal }).catch(() => undefined),
    now: () => new Date(),
    signal: stop.signal,
  });
}

await runCommand(main, { usage: LISTEN_USAGE, userErrors: [ListenError] });
