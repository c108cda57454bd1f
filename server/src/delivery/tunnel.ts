// Opens a tunnel through the operator's proxy by CONNECT (W5), and tells who is at fault when it fails (WH7).
import { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { AttemptError } from '../domain/webhooks/retry.ts';
import { Blocked } from './guard/guard.ts';

/**
 * The proxy itself failed, which says nothing about the receiver. The message is for the operator's log and contains no
 * password.
 */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
}

/** The proxy works, and reports that it could not reach the receiver. */
export class Unreached extends Error {
  override readonly name = 'Unreached';
  readonly reason: AttemptError;
  constructor(reason: AttemptError) {
    super(reason);
    this.reason = reason;
  }
}

export interface Tunnel {
  proxyUrl: string;
  /** For the connection to the proxy, in ms. */
  connectMs: number;
  headerBytes: number;
  /** Closes the tunnel at any stage. */
  signal: AbortSignal;
  /** Called when the tunnel to the receiver is open. */
  onOpen: () => void;
}

/**
 * `connect` inside a tunnel through the proxy: to the name, which the proxy resolves itself, with end-to-end TLS.
 * Errors, besides those of `connect`: `Blocked` when the proxy refuses the receiver, `Unreached`, and `ProxyFault` for
 * the rest.
 */
export function throughProxy(connect: buildConnector.connector, tunnel: Tunnel): buildConnector.connector {
  return (options, callback) => {
    const isHttps = options.protocol === 'https:';
    // `host` includes the port if the URL names one, and the brackets of an IPv6 literal.
    const host = options.host ?? options.hostname;
    openTunnel(options.port === '' ? `${host}:${isHttps ? 443 : 80}` : host, tunnel).then(
      (httpSocket) => {
        tunnel.onOpen();
        if (isHttps) connect({ ...options, httpSocket }, callback);
        else callback(null, httpSocket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

async function openTunnel(target: string, { proxyUrl, connectMs, headerBytes, signal }: Tunnel): Promise<Socket> {
  const proxy = new URL(proxyUrl);
  const connect = buildConnector({ timeout: connectMs, signal });
  const client = new Client(proxy.origin, { connect, maxHeaderSize: headerBytes });
  try {
    const headers = { host: target, ...credentialsOf(proxy) };
    const answer = await client.connect({ path: target, headers });
    const failure = failureOf(answer.statusCode, answer.headers);
    if (failure === null && answer.socket instanceof Socket) return answer.socket;
    answer.socket.on('error', () => undefined).destroy();
    throw failure ?? new ProxyFault('no connection');
  } catch (error) {
    if (error instanceof Blocked || error instanceof Unreached || error instanceof ProxyFault) throw error;
    throw new ProxyFault(kindOf(error), { cause: error });
  } finally {
    client.destroy().catch(() => undefined);
  }
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(plain).toString('base64')}` };
}

/** Smokescreen refuses a target with 407, as if a password were missing, and says so in this header. */
const SMOKESCREEN_REFUSAL = 'x-smokescreen-error';

/**
 * How proxies report that a name does not resolve or that nothing listens there: tinyproxy 500, Smokescreen 502 and
 * 504, Squid and Envoy 503. Counted as the proxy's own fault, a receiver that no longer exists would be retried
 * forever.
 */
const UNREACHED: Record<number, AttemptError> = {
  500: 'connection_refused',
  502: 'connection_refused',
  503: 'connection_refused',
  504: 'connect_timeout',
};

function failureOf(status: number, headers: Record<string, unknown>): Error | null {
  if (status >= 200 && status <= 299) return null;
  if (status === 403 || (status === 407 && SMOKESCREEN_REFUSAL in headers)) return new Blocked('blocked_address');
  const unreached = UNREACHED[status];
  return unreached === undefined ? new ProxyFault(`responded with ${status}`) : new Unreached(unreached);
}

/** A code or a name, never a message: messages contain addresses. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
