// The demo's webhook consumer: refuses requests that are not signed by both schemes, prints each decision once.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { HEADERS, verifyWebhook } from '../../../shared/src/webhook.ts';
import {
  webhookEvent,
  type DecisionRevised,
  type ItemDecided,
  type WebhookEvent,
  type WebhookEventName,
  type WebhookEventOf,
} from '../../../shared/src/schemas/parts/webhook-events.ts';

export interface Receiver {
  /** Where the service is to send decisions. */
  readonly url: string;
  /** An address that refuses everything since a few days: its owner has forgotten to copy the new secret. */
  readonly refusingUrl: string;
  /** While the demo's history is made: the time of what is delivered now, which prints nothing. Null: the true time. */
  moveTo(at: Date | null): void;
  /** Adds the secret of one more project. Until one is known, it answers 503 to everything, which is then retried. */
  useSecret(secret: string): void;
  stop(): Promise<void>;
}

export interface ReceiverParts {
  /** The port to listen on at 127.0.0.1; when it is taken, any free one. */
  readonly port: number;
  /** Receives one line per verified webhook. */
  readonly print: (line: string) => void;
  readonly now: () => Date;
}

const PATH = '/webhooks/decisions';
const REFUSING_PATH = '/webhooks/refunds';
/** Longer than a delivery is tried again (WH1), so that some are dead. */
const REFUSES_MS = 4.4 * 24 * 60 * 60_000;
const LONGEST_BODY = 1024 * 1024;
/** Webhook ids remembered, so that a retry or a replay is not printed again. */
const REMEMBERED_IDS = 10_000;

/** Starts the receiver. It answers 200 to a verified request, 401 to an unverified one, 404 elsewhere. */
export async function startReceiver(parts: ReceiverParts): Promise<Receiver> {
  const inbox = new Inbox(parts);
  const server = createServer((request, response) => {
    inbox
      .answer(request)
      .catch(() => 400)
      .then((status) => response.writeHead(status, status === 503 ? { 'retry-after': '1' } : {}).end())
      .catch(() => response.destroy());
  });
  const port = await listen(server, parts.port);
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    refusingUrl: `http://127.0.0.1:${port}${REFUSING_PATH}`,
    moveTo: (at) => inbox.moveTo(at),
    useSecret: (secret) => inbox.useSecret(secret),
    stop: () => close(server),
  };
}

class Inbox {
  readonly #secrets: string[] = [];
  readonly #seen = new Set<string>();
  readonly #parts: ReceiverParts;
  #movedTo: Date | null = null;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  useSecret(secret: string): void {
    this.#secrets.push(secret);
  }

  moveTo(at: Date | null): void {
    this.#movedTo = at;
  }

  #now(): Date {
    return this.#movedTo ?? this.#parts.now();
  }

  /** The status to answer with. The body is not parsed before the signatures are verified. */
  async answer(request: IncomingMessage): Promise<number> {
    const refuses = request.url === REFUSING_PATH;
    if (request.method !== 'POST' || !(refuses || request.url === PATH)) return 404;
    if (refuses && this.#parts.now().getTime() - this.#now().getTime() < REFUSES_MS) {
      request.resume();
      return 401;
    }
    if (this.#secrets.length === 0) return 503;
    const body = await readBody(request);
    if (body === null) return 413;
    const headers = singleHeaders(request);
    if (!(await this.#isGenuine(body, headers))) return 401;
    if (this.#movedTo === null) this.#printOnce(headers[HEADERS.id] ?? '', body);
    return 200;
  }

  /** `verifyWebhook` lets a consumer do without the Standard Webhooks trio; this one wants both schemes to hold. */
  async #isGenuine(body: string, headers: Record<string, string | undefined>): Promise<boolean> {
    if (headers[HEADERS.standard] === undefined) return false;
    const now = Math.floor(this.#now().getTime() / 1000);
    for (const secret of this.#secrets) if (await verifyWebhook(body, headers, { secret, now })) return true;
    return false;
  }

  #printOnce(id: string, body: string): void {
    if (this.#seen.has(id)) return;
    const event = webhookEvent.safeParse(JSON.parse(body));
    if (!event.success) return;
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > REMEMBERED_IDS && oldest !== undefined) this.#seen.delete(oldest);
    this.#parts.print(describe(event.data, this.#parts.now()));
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LONGEST_BODY) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function singleHeaders(request: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]));
}

/** Item, status, action, reviewer, what a pipeline would ship. */
function outcomeOf({ item_id, status, decision, reviewer_id }: ItemDecided | DecisionRevised): string {
  const outcome = `${status.padEnd(15)} ${decision.action.padEnd(8)}`;
  return `${shortId(item_id)}  ${outcome} by ${shortId(reviewer_id)}  ${shipped(decision)}`;
}

/** What each event says in a line. */
const LINES: { [Name in WebhookEventName]: (event: WebhookEventOf<Name>) => string } = {
  'item.decided': outcomeOf,
  'decision.revised': (event) => `${outcomeOf(event)}  (revision ${event.decision.revision})`,
  'item.withdrawn': ({ item_id }) => `${shortId(item_id)}  withdrawn`,
  'item.expired': ({ item_id, status }) => `${shortId(item_id)}  ${status}: its deadline passed`,
  'project.attention': ({ project_name, findings }) =>
    `${JSON.stringify(project_name)} needs attention: ${findings.map(({ text }) => text).join(' ')}`,
  'webhook.test': ({ project_id }) => `test event of project ${shortId(project_id)}`,
};

/** One line with the time. */
export function describe(event: WebhookEvent, now: Date): string {
  // The table has a line for the name of every event.
  const line = LINES[event.event] as (event: WebhookEvent) => string;
  return `${now.toTimeString().slice(0, 8)}  ✓ ${line(event)}`;
}

/** As the page shows ids. */
function shortId(id: string): string {
  return `${id.slice(0, 4)}…${id.slice(-4)}`;
}

function shipped({ status, output, reason, response }: WebhookEventOf<'item.decided'>['decision']): string {
  const words = response ?? reason;
  if (status !== 'approved') return `ships nothing${words === null ? '' : `: ${shorten(words)}`}`;
  return `ships ${shorten(typeof output === 'string' ? output : JSON.stringify(output))}`;
}

/** Control and direction characters come from outside, and could rewrite the terminal. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
const SHOWN = 48;

function shorten(text: string): string {
  const characters = [...text.replace(UNSAFE, ' ')];
  return characters.length <= SHOWN ? characters.join('') : `${characters.slice(0, SHOWN - 1).join('')}…`;
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    return await listenOn(server, port);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return listenOn(server, 0);
    throw error;
  }
}

function listenOn(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
