// What the TypeScript recipes share: the client, one submission per key, and a receiver of webhooks. Copy it beside a recipe.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { ApiError, createClient, type NewItem, type PublicItem, type Submitted } from '@countersign/client';
import { verifyWebhook } from '@countersign/client/webhook';

const { COUNTERSIGN_WEBHOOK_SECRET: secret = '' } = process.env;

/** Reads COUNTERSIGN_URL, COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID. */
export const client = createClient();

/**
 * Submits an item once: the same key gives the same item, for 7 days, also from another process after a crash. The item
 * must be the same too, so put no time and no random value into it.
 */
export function submitOnce(key: string, item: Omit<NewItem, 'project_id'>): Promise<Submitted> {
  return client.submit(item, { idempotencyKey: key });
}

const FINAL = ['auto_approved', 'approved', 'rejected', 'escalated_final', 'expired', 'withdrawn'];

/** Whether nobody is asked any more. Only `auto_approved` and `approved` have an output to use. */
export const isFinal = ({ status }: Pick<Submitted, 'status'>): boolean => FINAL.includes(status);

/** Withdraws an item that nobody needs any more. An item that has ended already stays as it is. */
export async function withdraw(id: string, reason: string): Promise<void> {
  await client.withdraw(id, { reason }).catch((error: unknown) => {
    const ended = error instanceof ApiError && ['already_decided', 'expired'].includes(error.code);
    if (!ended) throw error;
  });
}

/** What a webhook says. It wakes what waits; the decision itself is read from the service. */
export interface WebhookEvent {
  event: 'item.decided' | 'item.expired' | 'item.withdrawn' | 'decision.revised';
  item_id: string;
}

const EVENTS = ['item.decided', 'item.expired', 'item.withdrawn', 'decision.revised'];

/**
 * The status with which to answer a webhook. `resume` gets the item as the service has it now, and the ID of the webhook,
 * which is the same on every repeat. When `resume` fails, the service sends the webhook again later.
 */
export async function receive(
  request: { body: string; headers: Record<string, string | undefined> },
  resume: (item: PublicItem, event: WebhookEvent, webhookId: string) => Promise<void>,
): Promise<204 | 400> {
  const { body, headers } = request;
  if (secret === '') throw new Error('COUNTERSIGN_WEBHOOK_SECRET is not set.');
  const genuine = await verifyWebhook(body, headers, { secret, now: Date.now() / 1000 });
  // Both schemes are always sent: without an ID and a time, an old request could be sent again.
  if (!genuine || headers['webhook-signature'] === undefined) return 400;
  const event = JSON.parse(body) as WebhookEvent;
  if (EVENTS.includes(event.event)) {
    const item = await client.item(event.item_id);
    if (isFinal(item)) await resume(item, event, headers['webhook-id'] ?? '');
  }
  return 204; // Others, such as a test event, wake nothing.
}

const LONGEST_BODY = 4 * 1024 * 1024;

/** Receives webhooks at `POST /webhooks` of `PORT` (4000), and nothing else. */
export function listen(resume: Parameters<typeof receive>[1], port = Number(process.env.PORT ?? 4000)): void {
  const server = createServer((request, response) => {
    const answer = async () => {
      if (request.method !== 'POST' || request.url !== '/webhooks') return 404;
      if (Number(request.headers['content-length'] ?? Infinity) > LONGEST_BODY) return 413;
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      return receive({ body: await text(request), headers }, resume);
    };
    answer().then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        console.error(error);
        response.writeHead(500).end();
      },
    );
  });
  server.listen(port, () => console.log(`Listening on port ${port}`));
}
