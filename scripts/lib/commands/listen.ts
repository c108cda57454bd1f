// Reads the event feed of a project and forwards each event as a signed webhook, in order, until it is stopped.
import { retryAfterSeconds } from '../../../shared/src/client/retry-after.ts';
import { splitList } from '../../../shared/src/json/split-list.ts';
import { signWebhook } from '../../../shared/src/webhook.ts';

/** How far the receiver is: the cursor of the page, and the last event of it that was answered. */
export interface Position {
  after: string | null;
  done: string | null;
}

/** What it asks of `fetch`. */
interface Request {
  method?: 'POST';
  headers: Record<string, string>;
  body?: string;
  redirect: 'error' | 'manual';
  signal: AbortSignal;
}

export interface Listener {
  baseUrl: string;
  apiKey: string;
  target: string;
  secret: string;
  /** Forwards every event of the project, also when some were forwarded before. */
  fromStart: boolean;
  /** Null before the first start. */
  load: () => Promise<Position | null>;
  save: (position: Position) => Promise<void>;
  print: (line: string) => void;
  fetch: (url: string, request: Request) => Promise<Response>;
  /** Returns early when the signal fires. */
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
  signal: AbortSignal;
}

/** A refusal of the service that asking again does not change. The message is for the person at the command line. */
export class ListenError extends Error {}

const PAGE = 100;
const POLL_MS = 1000;
const AGAIN_MS = 2000;
/** As for a delivery of the service. */
const ATTEMPT_MS = 20_000;

/** Forwards until the signal fires. Errors: `ListenError`; what `load` and `save` throw. */
export async function listen(listener: Listener): Promise<void> {
  let position = (listener.fromStart ? null : await listener.load()) ?? (await startOf(listener));
  // A position that cannot be saved is an error before anything is sent, not after: the next run would send it again.
  if (position !== null) await listener.save(position);
  while (position !== null && !listener.signal.aborted) {
    const page = await pageAfter(listener, position.after);
    if (page === null) return;
    const done = page.events.findIndex(({ id }) => id === position?.done);
    for (const event of page.events.slice(done + 1)) {
      if (event.isSent && !(await forward(listener, event))) return;
      position = { ...position, done: event.id };
      await listener.save(position);
    }
    if (page.next !== position.after) {
      position = { after: page.next, done: null };
      await listener.save(position);
    }
    if (!page.hasMore) await listener.sleep(POLL_MS);
  }
}

/** The beginning of the log, or its present end. Null when it was stopped meanwhile. */
async function startOf(listener: Listener): Promise<Position | null> {
  let position: Position = { after: null, done: null };
  if (listener.fromStart) return position;
  listener.print('Looking for the newest event. Earlier ones are not forwarded.');
  for (;;) {
    const page = await pageAfter(listener, position.after);
    if (page === null) return null;
    position = { after: page.next, done: null };
    if (!page.hasMore) return position;
  }
}

interface FeedEvent {
  id: string;
  /** What is printed of it. */
  name: string;
  /** The bytes of the webhook. */
  body: string;
  /** Webhooks carry no automatic decisions. */
  isSent: boolean;
}

interface Page {
  events: FeedEvent[];
  next: string | null;
  hasMore: boolean;
}

/** Asks until there is an answer. Null when it was stopped. */
async function pageAfter(listener: Listener, after: string | null): Promise<Page | null> {
  const query = new URLSearchParams({ limit: String(PAGE), ...(after !== null && { after }) });
  const url = `${listener.baseUrl}/api/public/events?${query}`;
  let silent = false;
  while (!listener.signal.aborted) {
    const answer = await ask(listener, url);
    if (answer !== null && answer.status === 200) return readPage(answer.text);
    if (answer !== null && answer.status < 500 && answer.status !== 429) throw refused(answer);
    if (!silent) listener.print(`${listener.baseUrl} does not answer. Trying again …`);
    silent = true;
    await listener.sleep(Math.max(AGAIN_MS, answer?.waitMs ?? 0));
  }
  return null;
}

interface Answer {
  status: number;
  text: string;
  waitMs: number;
}

async function ask({ fetch: send, apiKey, signal, now }: Listener, url: string): Promise<Answer | null> {
  try {
    const headers = { 'x-api-key': apiKey };
    const reply = await send(url, { headers, redirect: 'error', signal });
    const wait = retryAfterSeconds(reply.headers.get('retry-after'), reply.headers.get('date'), now().getTime());
    return { status: reply.status, text: await reply.text(), waitMs: (wait ?? 0) * 1000 };
  } catch {
    return null;
  }
}

function refused({ status, text }: Answer): ListenError {
  const detail = /"detail":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return new ListenError(
    `The service responded with ${status}${detail === undefined ? '.' : `: ${String(JSON.parse(detail))}`}`,
  );
}

/** Keeps the spelling of each event: the body of its webhook is the event without its ID, byte for byte. */
function readPage(text: string): Page {
  const parts = splitList(text, 'data');
  const events: FeedEvent[] = [];
  let part = parts.next();
  while (part.done !== true) {
    events.push(readEvent(part.value.trim()));
    part = parts.next();
  }
  const { has_more, next_cursor } = JSON.parse(part.value) as { has_more: boolean; next_cursor: string | null };
  return { events, next: next_cursor, hasMore: has_more };
}

function readEvent(text: string): FeedEvent {
  const { id, ...told } = JSON.parse(text) as {
    id: string;
    event: string;
    status: string;
    decision?: { action?: string } | null;
  };
  const head = `{"id":${JSON.stringify(id)},`;
  const body = text.startsWith(head) ? `{${text.slice(head.length)}` : JSON.stringify(told);
  const isSent = told.decision?.action !== 'auto_approve';
  return { id, name: `${told.event} ${told.status}`, body, isSent };
}

/** Sends one event until the receiver answers, with any status. False when it was stopped before. */
async function forward(listener: Listener, { id, name, body }: FeedEvent): Promise<boolean> {
  const { target, secret, signal, now, fetch: send, print } = listener;
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    const at = now();
    const message = { id, timestamp: Math.floor(at.getTime() / 1000), attempt, body };
    const headers = { 'content-type': 'application/json', ...(await signWebhook(message, [secret])) };
    try {
      const limits = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]);
      const reply = await send(target, { method: 'POST', headers, body, redirect: 'manual', signal: limits });
      await reply.body?.cancel();
      print(`${at.toISOString().slice(11, 19)}  ${reply.status}  ${now().getTime() - at.getTime()} ms  ${name}  ${id}`);
      return true;
    } catch {
      if (signal.aborted) return false;
      if (attempt === 1) print(`${at.toISOString().slice(11, 19)}  no response from ${target}. Trying ${id} again …`);
      await listener.sleep(AGAIN_MS);
    }
  }
  return false;
}
