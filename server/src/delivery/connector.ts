// Connects to checked addresses only, directly or through the operator's proxy (W2, W5). Webhooks and media use it.
import { type LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isOfNetwork, TlsFailure } from './answer.ts';
import type { Connection } from './connections.ts';
import { Blocked, type TargetAddress } from './guard/guard.ts';
import { boundReads } from './received.ts';
import { throughProxy } from './tunnel.ts';

/** Node gives up on one of several addresses after 250 ms by default, too soon for a receiver on another continent. */
const ADDRESS_MS = 1_000;

export interface ConnectorOptions {
  /** The operator's proxy, or null. */
  proxyUrl: string | null;
  limits: { connectMs: number; headerBytes: number; wireBytes: number };
  /** Closes the socket at any stage. */
  signal: AbortSignal;
  connection: Connection;
  /** TCP is connected, to the receiver or through the proxy. */
  reached: () => void;
  /** Called once connected, with TLS: whether a byte may be sent to this peer. */
  isAllowed: (socket: Socket, isHttps: boolean) => boolean;
}

/**
 * Connects only to the checked addresses, however the name resolves now, and checks the remote address before a byte is
 * sent.
 */
export function createConnector(addresses: TargetAddress[], options: ConnectorOptions): buildConnector.connector {
  const { proxyUrl, limits, signal, connection, reached, isAllowed } = options;
  const direct = namingTls({
    lookup: pinnedTo(addresses),
    timeout: limits.connectMs,
    autoSelectFamilyAttemptTimeout: ADDRESS_MS,
    // The deadline closes the socket itself: undici would not release one that is still connecting.
    signal,
    allowH2: false,
    maxCachedSessions: 0,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  });
  const connect = proxyUrl ? throughProxy(direct, { ...limits, proxyUrl, signal, onOpen: reached }) : direct;
  return (target, callback) => {
    const opening: unknown = connect(target, (failure, socket) => {
      if (failure !== null) return callback(failure, null);
      if (!isAllowed(socket, target.protocol === 'https:')) {
        socket.destroy();
        return callback(new Blocked('blocked_address'), null);
      }
      connection.opened(socket);
      boundReads(socket, limits.wireBytes, () => connection.read);
      callback(null, socket);
    });
    // The socket itself reports when TCP is connected; the connector calls back only after TLS.
    if (opening instanceof Socket) opening.once('connect', reached);
  };
}

/** The library's connector; with TLS, a failure that is not the network's counts as one of TLS. */
function namingTls(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, callback) =>
    connect(target, (failure, socket) => {
      if (failure === null) return callback(null, socket);
      const isTls = target.protocol === 'https:' && !isOfNetwork(failure);
      callback(isTls ? new TlsFailure('tls_error', { cause: failure }) : failure, null);
    });
}

function pinnedTo(addresses: TargetAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}
