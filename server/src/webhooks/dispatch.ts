// Signs one attempt and posts it: the one way a webhook leaves by, a delivery's and a test event's alike (WT1).
import type { Logger } from 'pino';
import { signWebhook } from '@countersign/shared/webhook';
import { decrypt, type KeyRing } from '../crypto/key-ring.ts';
import { hmacSha256 } from '../crypto/webhook-secret.ts';
import type { Dispatch, Dispatched } from '../domain/webhooks/webhook-attempt.ts';
import { timestampOf, withFixed } from '../domain/webhooks/webhook-headers.ts';
import { secretContext, signingSecrets } from '../domain/webhooks/webhook-secrets.ts';
import type { GuardPolicy, Lookup } from './guard/guard.ts';
import type { ConnectionPool } from './connections.ts';
import { type SendLimits, sendWebhook } from './send.ts';

export interface DispatchTools {
  keyRing: KeyRing;
  policy: GuardPolicy;
  /** Who is asked for the addresses of a name; the system when absent. */
  lookup?: Lookup | undefined;
  /** Others than the usual, for tests that cannot wait for those. */
  limits?: Partial<SendLimits> | undefined;
  /** Those of attempts before; without them each has one of its own. */
  connections?: ConnectionPool;
  /** Where the operator reads what their own proxy failed with (WH7). */
  log?: Pick<Logger, 'warn'>;
}

/** Signs with every secret that signs at this moment, and sends through the guard. Errors: a secret that does not open; of the sending, none. */
export async function dispatchWebhook(tools: DispatchTools, what: Dispatch): Promise<Dispatched> {
  const { keyRing, policy, lookup, connections } = tools;
  const { url, body, webhookId, attempt, at } = what;
  const reveal = (encrypted: string) => decrypt(keyRing, encrypted, secretContext(what.projectId));
  const [first, ...rest] = signingSecrets(what.secrets, at);
  const message = { id: webhookId, timestamp: timestampOf(at), attempt, body };
  const headers = withFixed(await signWebhook(message, [reveal(first), ...rest.map(reveal)], hmacSha256));
  // To the proxy there is a connection of its own each time: what it leads to is the proxy's to know.
  const reuse = connections && !policy.proxyUrl ? { connections, projectId: what.projectId } : undefined;
  const request = { url, headers, body, policy, ...(lookup && { lookup }), ...(reuse && { reuse }) };
  const outcome = await sendWebhook(request, tools.limits);
  if (outcome.proxyFault !== undefined) {
    tools.log?.warn({ fault: outcome.proxyFault }, 'the proxy of WEBHOOK_PROXY_URL failed: a webhook did not leave');
  }
  return { ...outcome, signatures: 1 + rest.length };
}
