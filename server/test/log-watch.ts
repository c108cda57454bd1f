// Finds secrets in the logs of a test's servers and loggers (K7); setup-log-watch.ts fails a file with a finding.
import { pino, type Logger } from 'pino';
import { loggableError } from '../src/db/connection/statement-log.ts';

/** Patterns of secrets, and of project-private content. */
const SHAPES: Record<string, RegExp> = {
  'an API key': /csk_[0-9A-Za-z]{38}/,
  'a webhook secret': /whsec_[A-Za-z0-9+/]{20}/,
  'a session token': /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[\w-]{43}/,
  'a cookie': /__Host-/,
  'the URL of an invite': /\/invites\/[\w-]{43}(?![\w-])/i,
  'a header with credentials': /"(?:authorization|(?:set-)?cookie|x-api-key|(?:x-)?webhook-signature)\\?"/i,
  'a key of SECRET_KEYS': /[\w-]{1,32}:[A-Za-z0-9+/]{43}=/,
  'a password': /\w:\/\/[^\s"/@]*:[^\s"/@]+@/,
  // The content that the builders submit and decide.
  'an item': /may the parcel be returned|yes, within 30 days|An answer that a person wrote/i,
};

/** Long enough that nothing else matches. */
const PART = /[\w+-]{20,}/g;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const partsOf = (text: string): string[] => (text.match(PART) ?? []).filter((part) => !UUID.test(part));

export interface LogWatch {
  /** Checks one line. */
  line(text: string): void;
  /** Also searches for this exact text, in earlier and later lines. */
  secret(kind: string, text: string): void;
  /** The kinds of secrets found in lines; never the secrets. */
  found(): string[];
  /** Every recorded secret, as it was shown. */
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

/** The watch of the running test file: `setup-log-watch.ts` resets it for each. */
export let logWatch = createLogWatch();

/** Drops what other test files of this process have logged and shown. */
export function resetLogWatch(): void {
  logWatch = createLogWatch();
}

/** The response members that grant access, or sign in our name. */
const SECRET_FIELDS = ['api_key', 'webhook_secret', 'inbound_secret', 'token'];

/** Records the secrets in a response. */
export function noteShown(reply: unknown): void {
  if (typeof reply !== 'object' || reply === null) return;
  for (const [name, value] of Object.entries(reply))
    if (SECRET_FIELDS.includes(name)) logWatch.secret(name, String(value));
}

/** A logger for code in the test's own process; LOG_LEVEL sets what it prints. `also` gets each line. */
export function watchedLogger(also: (line: string) => void = () => undefined, watch: LogWatch = logWatch): Logger {
  const { LOG_LEVEL: level } = process.env;
  const write = (line: string) => {
    watch.line(line);
    also(line);
    if (level !== undefined) process.stdout.write(line);
  };
  return pino({ level: level ?? 'debug', base: null, serializers: { err: loggableError } }, { write });
}
