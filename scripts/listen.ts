// `npm run listen`: forwards the events of a project to a receiver on this machine, signed like webhooks.
import { setTimeout as delay } from 'node:timers/promises';
import { makeWebhookSecret } from '../server/src/crypto/webhook-secret.ts';
import { listen, ListenError } from './lib/commands/listen.ts';
import { LISTEN_USAGE, readListenArguments } from './lib/commands/listen-arguments.ts';
import { loadPosition, positionFile, savePosition } from './lib/commands/listen-position.ts';
import { runCommand } from './lib/commands/run-command.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';

async function main(outputClosed: AbortSignal): Promise<void> {
  const options = readListenArguments(process.argv.slice(2));
  if (options === 'help') return console.log(LISTEN_USAGE);
  const { baseUrl, apiKey, target, fromStart } = options;
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  const signal = AbortSignal.any([stop.signal, outputClosed]);
  const given = process.env['COUNTERSIGN_WEBHOOK_SECRET']?.trim();
  const secret = given || makeWebhookSecret();
  if (!given) console.log(`Signed with COUNTERSIGN_WEBHOOK_SECRET=${secret}`);
  console.log(`Forwarding the events of ${baseUrl} to ${target}. Stop with Ctrl+C.`);
  const file = positionFile(baseUrl, apiKey, target);
  await listen({
    ...{ baseUrl, apiKey, target, secret, fromStart, fetch },
    load: () => loadPosition(file),
    save: (position) => savePosition(file, position),
    print: (line) => console.log(line),
    sleep: (ms) => delay(ms, undefined, { signal }).catch(() => undefined),
    now: () => new Date(),
    signal,
  });
  outputClosed.throwIfAborted();
}

await runCommand(main, { usage: LISTEN_USAGE, userErrors: [ListenError] });
