// Fetches media of an allowed host behind the guard of webhooks: checked redirects, known types, bounded size and time.
import { MediaRefused, type MediaAnswer, type MediaFault, type MediaRequest } from '../domain/media/media-answer.ts';
import { agreedType, mediaTypeOf, SNIFFED_BYTES } from '../domain/media/media-type.ts';
import { Connection } from './connections.ts';
import { createConnector } from './connector.ts';
import { TooMuch } from './received.ts';
import { Blocked, examineUrl, type GuardPolicy, mayConnect, resolveTarget } from './guard/guard.ts';
import type { Lookup } from './guard/names.ts';

export interface MediaLimits {
  /** Over everything: resolving, connecting, redirects, the whole body. */
  deadlineMs: number;
  connectMs: number;
  /** Of one file, however it is asked for. */
  bytes: number;
  headerBytes: number;
  redirects: number;
}

const LIMITS: MediaLimits = {
  deadlineMs: 60_000,
  connectMs: 5_000,
  bytes: 25 * 1024 * 1024,
  headerBytes: 16_384,
  redirects: 3,
};

export interface MediaSource {
  policy: GuardPolicy;
  lookup?: Lookup;
  limits?: Partial<MediaLimits>;
}

interface Fetch {
  request: MediaRequest;
  source: MediaSource;
  limits: MediaLimits;
  signal: AbortSignal;
}

interface Head {
  connection: Connection;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
}

/** The file with its type, once its first bytes are known. Errors: `MediaRefused`. */
export async function fetchMedia(source: MediaSource, request: MediaRequest): Promise<MediaAnswer> {
  const limits = { ...LIMITS, ...source.limits };
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), limits.deadlineMs);
  const fetch = { request, source, limits, signal: deadline.signal };
  const end = () => clearTimeout(timer);
  try {
    // A part from the middle says nothing about its type: the start of the file does.
    const known = request.range === null || startsAtZero(request.range) ? null : await typeOfStart(fetch);
    return await opened(fetch, { known, end });
  } catch (error) {
    end();
    throw refusalOf(error, deadline.signal);
  }
}

const startsAtZero = (range: string): boolean => /^bytes=0*0-/.test(range);

async function typeOfStart(fetch: Fetch): Promise<string> {
  const range = `bytes=0-${SNIFFED_BYTES - 1}`;
  const { type, chunks } = await opened(
    { ...fetch, request: { ...fetch.request, range } },
    { known: null, end: NOTHING },
  );
  // One that was never started would not close its connection.
  await chunks.next();
  await chunks.return(undefined);
  return type;
}

const NOTHING = () => undefined;

async function opened(fetch: Fetch, { known, end }: { known: string | null; end: () => void }): Promise<MediaAnswer> {
  const head = await headOf(fetch);
  try {
    const status = okStatus(head.status);
    const headers = rangeHeaders(head, { status, most: fetch.limits.bytes });
    const body = head.body[Symbol.asyncIterator]();
    const first = await startOf(body);
    const type = known ?? agreedType(mediaTypeOf(first.bytes), one(head.headers['content-type']));
    if (type === null) throw new MediaRefused('wrong_type');
    const rest = { first, body, connection: head.connection, most: fetch.limits.bytes, signal: fetch.signal, end };
    return { status, type, headers, chunks: chunksOf(rest) };
  } catch (error) {
    head.connection.close();
    throw error;
  }
}

/** Follows redirects to allowed hosts; each is checked like the first URL. */
async function headOf(fetch: Fetch): Promise<Head> {
  let url = fetch.request.url;
  for (let left = fetch.limits.redirects; ; left -= 1) {
    const head = await ask(allowedUrl(url, fetch), fetch);
    const location = one(head.headers.location);
    if (!isRedirect(head.status) || location === undefined) return head;
    head.connection.close();
    if (left === 0) throw new MediaRefused('too_many_redirects');
    url = URL.parse(location, url)?.href ?? '';
  }
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** MP2: https at its own port, at an allowed host; where the operator allows http for tests, other ports too. */
function allowedUrl(text: string, { request: { hosts }, source: { policy } }: Fetch): URL {
  const verdict = examineUrl(text.replace(/#.*$/s, ''), policy);
  if (!verdict.ok) throw new MediaRefused('url_refused');
  const { url } = verdict;
  if (!policy.allowHttp && (url.protocol !== 'https:' || url.port !== '')) throw new MediaRefused('url_refused');
  if (!hosts.includes(url.hostname)) throw new MediaRefused('host_refused');
  return url;
}

/** Nothing of the reviewer's request goes along: no cookie, no address, no language. */
async function ask(url: URL, { request, source, limits, signal }: Fetch): Promise<Head> {
  const { addresses } = await resolveTarget(url, source.policy, source.lookup).catch((error: unknown) => {
    // Only the operator's proxy may be able to resolve the name (W5).
    if (source.policy.proxyUrl && error instanceof Blocked && error.code === 'dns_error') return { addresses: [] };
    throw error;
  });
  signal.throwIfAborted();
  const connection = new Connection(url.origin, limits);
  connection.connector = createConnector(addresses, {
    ...{ proxyUrl: source.policy.proxyUrl ?? null, signal, connection, reached: NOTHING },
    // Chunk sizes and headers count too, beside the file.
    limits: { ...limits, wireBytes: 2 * limits.bytes + limits.headerBytes },
    isAllowed: ({ remoteAddress = '', remotePort = 0 }) =>
      Boolean(source.policy.proxyUrl) || mayConnect({ address: remoteAddress, port: remotePort }, source.policy),
  });
  const headers = { accept: 'image/*, audio/*, video/*, application/pdf', 'accept-encoding': 'identity' };
  try {
    const reply = await connection.client.request({
      ...{ method: 'GET', path: url.pathname + url.search, signal, reset: true },
      headers: request.range === null ? headers : { ...headers, range: request.range },
    });
    // Closing a connection whose body nobody reads is no failure.
    reply.body.on('error', NOTHING);
    return { connection, status: reply.statusCode, headers: reply.headers, body: reply.body };
  } catch (error) {
    connection.close();
    throw error;
  }
}

const one = (header: string | string[] | undefined): string | undefined => [header].flat()[0];

function okStatus(status: number): 200 | 206 {
  if (status === 200 || status === 206) return status;
  throw new MediaRefused(status === 404 || status === 410 || status === 416 ? 'not_there' : 'unreachable');
}

/** The length and range that may be passed on. Errors: `too_large` for a file of more than `most` bytes, `encoded`. */
function rangeHeaders(
  { headers }: Head,
  { status, most }: { status: 200 | 206; most: number },
): Record<string, string> {
  // We asked for none. A compressed file could grow without end in the browser.
  if (![undefined, 'identity'].includes(one(headers['content-encoding']))) throw new MediaRefused('encoded');
  const length = /^\d{1,15}$/.exec(one(headers['content-length']) ?? '')?.[0];
  const range = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15}|\*)$/.exec(one(headers['content-range']) ?? '');
  if (Number(length ?? 0) > most || Number(range?.[1] ?? 0) > most) throw new MediaRefused('too_large');
  if (status === 206 && range === null) throw new MediaRefused('unreachable');
  return {
    'accept-ranges': status === 206 || one(headers['accept-ranges']) === 'bytes' ? 'bytes' : 'none',
    ...(length === undefined ? {} : { 'content-length': length }),
    ...(status === 206 && range !== null ? { 'content-range': range[0] } : {}),
  };
}

type Body = AsyncIterator<Uint8Array>;

/** The first bytes, as many as tell the type, or all of a shorter file. */
async function startOf(body: Body): Promise<{ bytes: Buffer; done: boolean }> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < SNIFFED_BYTES) {
    const next = await body.next();
    if (next.done) return { bytes, done: true };
    bytes = Buffer.concat([bytes, next.value]);
  }
  return { bytes, done: false };
}

interface Rest {
  first: { bytes: Buffer; done: boolean };
  body: Body;
  connection: Connection;
  most: number;
  signal: AbortSignal;
  end: () => void;
}

/** The whole body, counted. Its end, an error and a reader that leaves all close the connection. */
async function* chunksOf({ first, body, connection, most, signal, end }: Rest): AsyncGenerator<Uint8Array> {
  try {
    let read = first.bytes.length;
    if (read > most) throw new MediaRefused('too_large');
    yield first.bytes;
    for (let next = first.done ? null : await body.next(); next !== null && !next.done; next = await body.next()) {
      read += next.value.length;
      if (read > most) throw new MediaRefused('too_large');
      yield next.value;
    }
  } catch (error) {
    throw refusalOf(error, signal);
  } finally {
    end();
    connection.close();
  }
}

function refusalOf(error: unknown, signal: AbortSignal): MediaRefused {
  if (error instanceof MediaRefused) return error;
  // More came over the connection than any file may need: chunk sizes, headers, or a body that ran ahead of its count.
  if (error instanceof TooMuch) return new MediaRefused('too_large', { cause: error });
  const timedOut = signal.aborted || (error instanceof Error && 'code' in error && isTimeout(error.code));
  const fault: MediaFault = timedOut ? 'timeout' : isRefusal(error) ? 'url_refused' : 'unreachable';
  return new MediaRefused(fault, { cause: error });
}

const isRefusal = (error: unknown): boolean => error instanceof Blocked && error.code === 'blocked_address';

const isTimeout = (code: unknown): boolean =>
  ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'].includes(String(code));
