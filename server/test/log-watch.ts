// No secret is in any log (K7): every line that a test's servers and loggers write passes here; watch-logs.ts fails the file whose lines hold one.
import { pino, type Logger } from 'pino';
import { loggableError } from '../src/db/connection/loggable-error.ts';

/** What secrets, and what belongs to nobody but a project, look like. */
const SHAPES: Record<string, RegExp> = {
  'an API key': /csk_[0-9A-Za-z]{38}/,
  'a webhook secret': /whsec_[A-Za-z0-9+/]{20}/,
  'a session token': /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w-]{43}/,
  'a cookie': /__Host-/,
  'the address of an invite': /\/invites\/[\w-]{43}(?![\w-])/i,
  'a header that lets in': /"(?:authorization|(?:set-)?cookie|x-api-key|(?:x-)?webhook-signature)\\?"/i,
  'a key of SECRET_KEYS': /[\w-]{1,32}:[A-Za-z0-9+/]{43}=/,
  'a password': /\w:\/\/[^\s"/@]*:[^\s"/@]+@/,
  // What the builders submit and decide.
  'an item': /may the parcel be returned|yes, within 30 days|An answer that a person wrote/i,
};

/** Long enough that nothing else comes out the same. */
const PART = /[\w+-]{20,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const partsOf = (text: string): string[] => (text.match(PART) ?? []).filter((part) => !UUID.test(part));

export interface LogWatch {
  /** Looks at one line. */
  line(text: string): void;
  /** From now on, and in every line so far, this very text counts too. */
  secret(kind: string, text: string): void;
  /** The kinds of secrets that were in a line; never the secrets. */
  found(): string[];
  /** Every secret that was noted, as it was shown. */
  shown(): { kind: string; text: string }[];
}

export function createLogWatch(): LogWatch {
  const kinds = new Set<string>();
  const seen = new Set<string>();
  const secrets = new Map<string, string>();
  const shown = new Map<string, string>();
  return {
    line: (text) => {
      for (const [kind, shape] of Object.entries(SHAPES)) if (shape.test(text)) kinds.add(kind);
      for (const part of partsOf(text)) seen.add(part);
    },
    secret: (kind, text) => {
      if (text !== '') shown.set(text, kind);
      for (const part of partsOf(text)) secrets.set(part, kind);
    },
    shown: () => [...shown].map(([text, kind]) => ({ kind, text })),
    found: () => {
      for (const [part, kind] of secrets) if (seen.has(part)) kinds.add(kind);
      return [...kinds].sort();
    },
  };
}

/** The one of the test file that runs: `watch-logs.ts` begins it anew for each. */
export let logWatch = createLogWatch();

/** Forgets what other test files of this process have seen and shown. */
export function resetLogWatch(): void {
  logWatch = createLogWatch();
}

/** The members of answers by which somebody gets in, or passes as us. */
const SECRET_FIELDS = ['api_key', 'webhook_secret', 'inbound_secret', 'token'];

/** Notes the secrets that an answer shows. */
export function noteShown(reply: unknown): void {
  if (typeof reply !== 'object' || reply === null) return;
  for (const [name, value] of Object.entries(reply))
    if (SECRET_FIELDS.includes(name)) logWatch.secret(name, String(value));
}

/** A logger for code in the test's own process; LOG_LEVEL shows what it writes. `also` gets each line. */
export function watchedLogger(also: (line: string) => void = () => undefined, watch: LogWatch = logWatch): Logger {
  const { LOG_LEVEL: level } = process.env;
  const write = (line: string) => {
    watch.line(line);
    also(line);
    if (level !== undefined) process.stdout.write(line);
  };
  return pino({ level: level ?? 'debug', base: null, serializers: { err: loggableError } }, { write });
}
