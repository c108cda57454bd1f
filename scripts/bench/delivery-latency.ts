// Benchmarks the latency from a decision to its webhook, one at a time, against a bare signed POST.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { claimItem, decideItem } from '../../shared/src/routes/queue.ts';
import { makeWebhookSecret, signingKeysOf, signWithKeys } from '../../server/src/crypto/webhook-secret.ts';
import { asker, type BenchEnvironment, openProject, seedItems } from './environment.ts';
import { median, percentile, type Row } from './rows.ts';

/** The time a delivery may take beyond the bare POST. */
const ALLOWED_MS = 15;

/** The system's clock with fractions of a millisecond. */
const now = () => performance.timeOrigin + performance.now();

/** Ours and the bare POST in turns, `count` of each; the undo window is 0. */
export async function measureLatency(
  benchEnv: BenchEnvironment,
  count: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const receiver = await timestampingReceiver();
  const database = await benchEnv.createDatabase('bench_delivery_latency');
  const server = await benchEnv.startServer(database, { env: { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' } });
  const settings = { webhook_url: receiver.url, undo_window_seconds: 0 };
  const { id: projectId, owner } = await openProject({ server, database }, { members: [], settings });
  await seedItems(database, projectId, { all: count, waiting: count });
  const items = await database.sql<{ id: string }>('select id from item');
  const ask = asker(server, owner);
  const decide = async (id: string) => {
    const { fence } = await ask<{ fence: number }>('POST', claimItem.path.replace(':id', id), {});
    const arrived = receiver.next(id);
    const path = decideItem.path.replace(':id', id);
    const { decision } = await ask<{ decision: { decided_at: string } }>('POST', path, { fence, action: 'approve' });
    // The moment before the commit: the commit counts against us.
    return (await arrived) - Date.parse(decision.decided_at);
  };
  const secret = makeWebhookSecret();
  const times = { ours: [] as number[], bare: [] as number[] };
  for (const { id } of items) {
    times.ours.push(await decide(id));
    times.bare.push(await bare(receiver, secret));
  }
  receiver.close();
  await server.stop();
  return rowsOf(times, log);
}

function rowsOf(times: Record<'ours' | 'bare', number[]>, log: (line: string) => void): Row[] {
  const [ours, rival] = [median(times.ours), median(times.bare)];
  const slow = percentile(times.ours, 0.99);
  log(
    `deliveries: decision to webhook ${ours.toFixed(1)} ms at the median (99 %: ${slow.toFixed(1)} ms), a bare signed POST ${rival.toFixed(1)} ms`,
  );
  const measure = `ms from decision to webhook above a bare signed POST, p50 (rival: the ${ALLOWED_MS} ms allowed)`;
  const over = ours - rival;
  return [
    { section: 'deliveries', measure, ours: over, rival: ALLOWED_MS, ratio: over / ALLOWED_MS, goal: '<= 1' },
    {
      section: 'deliveries',
      measure: 'ms from decision to webhook, p99',
      ours: slow,
      rival: null,
      ratio: null,
      goal: null,
    },
  ];
}

interface TimestampingReceiver {
  url: string;
  /** When the request with this text in its body arrives, in ms. */
  next(text: string): Promise<number>;
  close(): void;
}

async function timestampingReceiver(): Promise<TimestampingReceiver> {
  const waiting = new Map<string, (at: number) => void>();
  const server = createServer((incoming, response) => {
    const at = now();
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    incoming.once('end', () => {
      response.writeHead(204).end();
      for (const [text, resolve] of waiting) if (body.includes(text) && waiting.delete(text)) resolve(at);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: (text) => new Promise((resolve) => waiting.set(text, resolve)),
    close: () => server.close(),
  };
}

/** Signed and posted on a separate connection, like a delivery. */
async function bare(receiver: TimestampingReceiver, secret: string): Promise<number> {
  const id = randomUUID();
  const body = JSON.stringify({ event: 'item.decided', id });
  const arrived = receiver.next(id);
  const from = now();
  const message = { id: `evt_${id}`, timestamp: Math.floor(Date.now() / 1000), attempt: 1, body };
  const headers = { 'content-type': 'application/json', ...signWithKeys(message, [signingKeysOf(secret)]) };
  request(receiver.url, { method: 'POST', headers, agent: false }, (answer) => void answer.resume()).end(body);
  return (await arrived) - from;
}
