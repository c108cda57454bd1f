// Sends signed messages: with the Standard Webhooks library, the hex signature, or any headers.
import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { aSubmission, type OpenProject } from '../../builders.ts';
import { ask, type Raw, type Served } from '../support/http-server.ts';

export type Headers = Record<string, string>;

export interface Sender {
  readonly sourceId: string;
  readonly path: string;
  readonly secret: string;
}

/** A new source of the project, with the secret that was shown. */
export async function aSender(project: OpenProject, name = 'Mail'): Promise<Sender> {
  const source = await project.owner.call(createInboundSource, { params: { id: project.id }, body: { name } });
  return { sourceId: source.id, path: new URL(source.url).pathname, secret: source.inbound_secret };
}

/** A unique body that is queued. */
export const aBody = (overrides: object = {}): string => JSON.stringify({ ...aSubmission(), ...overrides });

/** `x-webhook-signature`, by node:crypto. */
export const hexOf = (secret: string, body: string | Buffer): Headers => ({
  'x-webhook-signature': createHmac('sha256', secret).update(body).digest('hex'),
});

/** The three Standard Webhooks headers, by their library; `at` is now unless stated. */
export function trioOf(secret: string, body: string, given: { id?: string; at?: Date } = {}): Headers {
  const { id = randomUUID(), at = new Date() } = given;
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

export function post(served: Served, path: string, { body, headers }: { body: string | Buffer; headers: Headers }) {
  return ask(served, { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body });
}

/** The status, and the code of a refusal. */
export function outcome({ status, text }: Raw): string {
  return status < 400 ? String(status) : `${status} ${problem.parse(JSON.parse(text)).code}`;
}

/** A refusal without the parts that differ by request. */
export function neutral({ status, headers, text }: Raw): object {
  const own = { ...(JSON.parse(text) as object), request_id: '', instance: '' };
  const named = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, headers: named, body: JSON.stringify(own) };
}
