// Sockets whose session turns out to be none leave a line of the security log, as refused requests do (LG1).
import type { Services } from '../../usecases/services.ts';
import { PATH } from './admission.ts';
import type { LiveServer, LiveSocket } from '../rooms.ts';

/** A Socket.IO packet to the main namespace that refuses a connection, as it leaves. */
const CONNECT_ERROR = '4';

interface Options {
  /** Whom a request counts as. */
  clientOf: (request: LiveSocket['request']) => string;
}

/** Notes every connection that is refused from now on; those that the upgrade is refused are noted where that is done. */
export function noteRefusedSockets({ security }: Services, io: LiveServer, { clientOf }: Options): void {
  io.engine.on('connection', (connection: LiveSocket['conn']) => {
    const address = clientOf(connection.request);
    connection.on('packetCreate', ({ type, data }: { type: string; data?: unknown }) => {
      if (type === 'message' && typeof data === 'string' && data.startsWith(CONNECT_ERROR))
        security.note('session', { address, method: 'GET', path: PATH });
    });
  });
}
