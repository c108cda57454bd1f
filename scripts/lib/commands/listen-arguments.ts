// The command line of `npm run listen`.
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { configure } from '../../../shared/src/client/configuration.ts';
import { UsageError } from '../submit/arguments.ts';

export const LISTEN_USAGE = `Usage: npm run listen -- [--url URL] [--key KEY] [--from-start] http://localhost:PORT/PATH

  --url         address of the service (or the environment variable COUNTERSIGN_URL)
  --key         API key of the project with the scope read (or COUNTERSIGN_API_KEY)
  --from-start  forward all events of the project, also those that were forwarded before

Forwards each event of the project to a receiver on this machine, signed like a webhook. The secret is
COUNTERSIGN_WEBHOOK_SECRET; without it a new one is made and printed. Run it again after a break: it continues with the first
event that your receiver did not answer. Stop it with Ctrl+C.`;

export interface ListenArguments {
  baseUrl: string;
  apiKey: string;
  target: string;
  fromStart: boolean;
}

/** Reads the command line. Errors: `UsageError`. */
export function readListenArguments(args: string[]): ListenArguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [target, ...more] = positionals;
  if (target === undefined || more.length > 0 || !isLocal(target)) {
    throw new UsageError('Name one URL of this machine, such as http://localhost:8000/webhook.');
  }
  const { baseUrl, apiKey } = configuration(values.url, values.key);
  return { baseUrl, apiKey, target, fromStart: values['from-start'] === true };
}

/** Decisions go to no other machine by a mistyped command. */
function isLocal(target: string): boolean {
  if (!URL.canParse(target)) return false;
  const { protocol, hostname } = new URL(target);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const local = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return local && (protocol === 'http:' || protocol === 'https:');
}

function configuration(baseUrl: string | undefined, apiKey: string | undefined) {
  try {
    return configure({ baseUrl, apiKey });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { url: text, key: text, 'from-start': flag, help: { ...flag, short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
