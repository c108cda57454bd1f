// Signs one attempt and posts it: the one way a webhook leaves by, a delivery's and a test event's alike (WT1).
import { signWebhook } from '@countersign/shared/webhook';
import { open, type KeyRing } from '../crypto/key-ring.ts';
import type { Dispatch, Outcome } from '../domain/webhook-attempt.ts';
import { secretContext, signingSecrets } from '../domain/webhook-secrets.ts';
import type { GuardPolicy, Lookup } from './guard.ts';
import { sendWebhook } from './send.ts';

export interface DispatchTools {
  keyRing: KeyRing;
  policy: GuardPolicy;
  /** Who is asked for the addresses of a name; the system when absent. */
  lookup?: Lookup | undefined;
}

/** Signs with every secret that signs at this moment, and sends through the guard. Errors: a secret that does not open; of the sending, none. */
export async function dispatchWebhook({ keyRing, policy, lookup }: DispatchTools, what: Dispatch): Promise<Outcome> {
  const { url, body, webhookId, attempt, at } = what;
  const reveal = (sealed: string) => open(keyRing, sealed, secretContext(what.projectId));
  const [first, ...rest] = signingSecrets(what.secrets, at);
  const message = { id: webhookId, timestamp: Math.floor(at.getTime() / 1000), attempt, body };
  const signature = await signWebhook(message, [reveal(first), ...rest.map(reveal)]);
  const headers = { 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1', ...signature };
  return sendWebhook({ url, headers, body, policy, ...(lookup && { lookup }) });
}
