// Writes a security log line for sockets without a valid session, as for refused requests (LG1).
import type { Services } from '../../usecases/services.ts';
import { PATH } from './admission.ts';
import type { LiveServer, LiveSocket } from '../rooms.ts';

/** The Socket.IO packet type that refuses a connection to the main namespace. */
const CONNECT_ERROR = '4';

interface Options {
  /** The client address that a request counts for. */
  clientOf: (request: LiveSocket['request']) => string;
}

/** Logs every refused connection from now on; refused upgrades are logged where they are refused. */
export function noteRefusedSockets({ security }: Services, io: LiveServer, { clientOf }: Options): void {
  io.engine.on('connection', (connection: LiveSocket['conn']) => {
    const address = clientOf(connection.request);
    connection.on('packetCreate', ({ type, data }: { type: string; data?: unknown }) => {
      if (type === 'message' && typeof data === 'string' && data.startsWith(CONNECT_ERROR))
        security.note('session', { address, method: 'GET', path: PATH });
    });
  });
}
