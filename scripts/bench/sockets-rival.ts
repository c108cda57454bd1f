// The rival of the sockets bench: bare Socket.IO with the server's options, broadcasting each message to one room.
import { createServer } from 'node:http';
import { createLiveServer } from '../../server/src/realtime/gateway.ts';
import type { DomainEvent } from '../../shared/src/schemas/parts/events.ts';

const ROOM = 'everybody';

const http = createServer();
const io = createLiveServer(http, { admit: () => Promise.resolve(null), redis: null, log: console });
io.on('connection', async (socket) => {
  await socket.join(ROOM);
  socket.emit('rooms', []);
});
process.on('message', (events: DomainEvent[]) => {
  process.send?.(monotonic());
  io.local.to(ROOM).emit('events', events);
});
const port = Number(process.env.PORT);
http.listen(port, 'localhost', () => console.log(JSON.stringify({ port, msg: 'ready' })));

/** Milliseconds of the clock that all processes of a machine share. */
function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
