// Sockets that were not let in leave a line of the security log, as refused requests do (LG1).
import type { IncomingMessage } from 'node:http';
import type { Services } from '../usecases/services.ts';
import type { LiveServer } from './rooms.ts';

/** What Engine.IO says of a handshake it refused: 4 is `allowRequest`, which looks at the origin alone. */
interface RefusedHandshake {
  code: number;
  req: IncomingMessage;
}
const FORBIDDEN = 4;

/** A Socket.IO packet to the main namespace that refuses a connection, as it leaves. */
const CONNECT_ERROR = '4';

/** The address is the connection's own: behind a proxy, the proxy's. */
export function noteRefusedSockets({ security }: Services, io: LiveServer): void {
  const path = io.path();
  io.engine.on('connection_error', ({ code, req }: RefusedHandshake) => {
    if (code === FORBIDDEN) security.note('origin', { address: req.socket.remoteAddress, method: 'GET', path });
  });
  io.engine.on('connection', (connection: Connection) => {
    const { remoteAddress: address } = connection;
    connection.on('packetCreate', ({ type, data }) => {
      if (type === 'message' && typeof data === 'string' && data.startsWith(CONNECT_ERROR))
        security.note('session', { address, method: 'GET', path });
    });
  });
}

interface Connection {
  remoteAddress: string;
  on(event: 'packetCreate', listener: (packet: { type: string; data?: unknown }) => void): void;
}
