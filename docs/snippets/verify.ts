// Receives webhooks: takes what is genuine, fresh and new, and answers 204.
// Anything else is 400.
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';

const { COUNTERSIGN_WEBHOOK_SECRET: SECRET = '', PORT = '4000' } = process.env;
const TOLERANCE_SECONDS = 300;
const LONGEST_BODY = 4 * 1024 * 1024;
// For real: a unique column in your database, in the transaction that uses
// the decision.
const seen = new Set<string>();
// The revision that was used last, by item.
const used = new Map<string, number>();

/** `body`: the bytes as they arrived, before any JSON parsing. */
function isGenuine(body: Buffer, headers: IncomingMessage['headers']): boolean {
  const sent = (name: string) => String(headers[name] ?? '');
  const id = sent('webhook-id');
  const timestamp = sent('webhook-timestamp');
  const plain = createHmac('sha256', SECRET).update(body).digest('hex');
  const key = Buffer.from(SECRET.replace(/^whsec_/, ''), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`);
  const standard = signed.update(body).digest('base64');
  // The second place of each is filled while a new secret is being rolled in.
  const plains = [
    sent('x-webhook-signature'),
    sent('x-webhook-signature-secondary'),
  ];
  const standards = sent('webhook-signature').split(' ');
  return (
    plains.some((given) => isSame(given, plain)) &&
    standards.some((given) => isSame(given, `v1,${standard}`)) &&
    Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS
  );
}

/** Takes the same time wherever the texts differ. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Every event about an item: the last revision wins, in any order. */
function use(body: Buffer): void {
  const { event, item_id, status, decision } = JSON.parse(body.toString());
  switch (event) {
    case 'item.decided':
    case 'decision.revised':
    case 'item.expired':
    case 'item.withdrawn': {
      // A first decision has no revision. Nobody decided what has no decision.
      const revision = decision === null ? 0 : (decision.revision ?? 1);
      if (revision <= (used.get(item_id) ?? -1)) return;
      used.set(item_id, revision);
      console.log(item_id, status, decision?.output ?? null);
    }
  }
  // Others, such as a test event, have nothing to use.
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const length = Number(request.headers['content-length'] ?? Infinity);
  if (length > LONGEST_BODY) return void response.writeHead(413).end();
  const body = await buffer(request);
  if (!isGenuine(body, request.headers))
    return void response.writeHead(400).end();
  const id = String(request.headers['webhook-id']);
  if (!seen.has(id)) {
    use(body);
    seen.add(id);
  }
  response.writeHead(204).end(); // a repeat is answered like the first
}

createServer((request, response) => {
  // Any answer other than 2xx is retried later.
  receive(request, response).catch(() => response.writeHead(500).end());
}).listen(Number(PORT), () => console.log(`Listening on port ${PORT}`));
