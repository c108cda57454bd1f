// The server of the claims bench: the whole service as `npm start` runs it, and the rival's route in the same process.
import { randomUUID } from 'node:crypto';
import { start } from '../../server/src/start.ts';
import { createHttpServer } from '../../server/src/http/connection/server.ts';
import { findSession } from '../../server/src/usecases/credentials/sessions.ts';

const LEASE_MS = 120_000;

const { services } = await start();

/** The part of an item that the route's response contains. */
const item = {
  status: 'queued',
  input: { question: 'x'.repeat(50) },
  suggestion: 'x'.repeat(200),
  preview: 'x'.repeat(50),
};

/** Authenticates as the route does; then one script of the lock store assigns the item. */
async function claim(cookie: string | undefined): Promise<string> {
  const actor = await findSession(services, /__Host-sid=([^;]+)/.exec(cookie ?? '')?.[1]);
  if (actor === null) throw new Error('Nobody is signed in.');
  const id = randomUUID();
  await services.claims.acquire(id, actor.userId, LEASE_MS);
  return JSON.stringify({ item: { ...item, id }, fence: 1, expires_at: new Date(Date.now() + LEASE_MS) });
}

const http = createHttpServer((request, response) => {
  request.resume();
  claim(request.headers.cookie).then(
    (text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    () => response.writeHead(500).end(),
  );
});
http.listen(Number(process.env.BENCH_RIVAL_PORT), 'localhost');
