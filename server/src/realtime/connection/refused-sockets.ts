// Writes a security log line for sockets that are refused, as for refused requests (LG1).
import type { Services } from '../../usecases/services.ts';
import { PATH } from './admission.ts';
import type { LiveServer, LiveSocket } from '../rooms.ts';

/** The Socket.IO packet type that refuses a connection to the main namespace. */
const CONNECT_ERROR = '4';

/** An outdated page has a session: it loads itself again (QU20). */
const OUTDATED = 'outdated_page';

interface Options {
  /** The client address that a request counts for. */
  clientOf: (request: LiveSocket['request']) => string;
}

/** Logs every refused connection from now on; refused upgrades are logged where they are refused. */
export function noteRefusedSockets({ security }: Services, io: LiveServer, { clientOf }: Options): void {
  io.engine.on('connection', (connection: LiveSocket['conn']) => {
    const address = clientOf(connection.request);
    connection.on('packetCreate', ({ type, data }: { type: string; data?: unknown }) => {
      if (type === 'message' && typeof data === 'string' && data.startsWith(CONNECT_ERROR) && !data.includes(OUTDATED))
        security.note('session', { address, method: 'GET', path: PATH });
    });
  });
}
