// Signs one attempt and posts it: the only way to send a webhook, for deliveries and test events alike (WT1).
import { BoundedCache } from '@countersign/shared/bounded-cache';
import type { Logger } from 'pino';
import { decrypt, type KeyRing } from '../crypto/key-ring.ts';
import { type SigningKeys, signingKeysOf, signWithKeys } from '../crypto/webhook-secret.ts';
import type { Dispatch, Dispatched } from '../domain/webhooks/retry.ts';
import { secretContext, signingSecrets, timestampOf, withFixed } from '../domain/webhooks/signing.ts';
import type { ConnectionPool } from './connections.ts';
import type { GuardPolicy } from './guard/guard.ts';
import type { Lookup } from './guard/names.ts';
import { type SendLimits, sendWebhook } from './send.ts';

export interface DispatchTools {
  keyRing: KeyRing;
  policy: GuardPolicy;
  /** Resolves names; the system resolver by default. */
  lookup?: Lookup | undefined;
  /** Overrides for tests that cannot wait for the default limits. */
  limits?: Partial<SendLimits> | undefined;
  /** Connections of earlier attempts; without it each attempt opens its own. */
  connections?: ConnectionPool;
  /** For failures on our side: of the operator's proxy (WH7), and of signing. */
  log?: Pick<Logger, 'warn' | 'error'>;
}

/** Nothing was sent because of a failure on our side. */
const UNSENT: Dispatched = {
  ...{ httpStatus: null, error: 'internal', retryAfter: null, responseHeaders: null, responseText: null },
  ...{ totalMs: 0, timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null } },
  ...{ remoteAddress: null, signatures: 0 },
};

/**
 * Signs with every currently valid secret, and sends through the guard. Never throws: an attempt whose secret cannot be decrypted
 * ends as `internal`, so that it is recorded and its schedule ends.
 */
export async function dispatchWebhook(tools: DispatchTools, what: Dispatch): Promise<Dispatched> {
  try {
    return await signAndSend(tools, what);
  } catch (error) {
    const { projectId, endpointId, webhookId } = what;
    tools.log?.error({ err: error, project: projectId, endpoint: endpointId, webhook: webhookId }, 'webhook not sent');
    return UNSENT;
  }
}

/** Errors: a secret that cannot be decrypted; sending itself never fails. */
async function signAndSend(tools: DispatchTools, what: Dispatch): Promise<Dispatched> {
  const { keyRing, policy, lookup, connections } = tools;
  const { url, body, webhookId, attempt, at } = what;
  const keysOf = (encrypted: string) => knownKeys(what.endpointId, encrypted, keyRing);
  const [first, ...rest] = signingSecrets(what.secrets, at);
  const message = { id: webhookId, timestamp: timestampOf(at), attempt, body };
  const signed = what.unsigned === true ? {} : signWithKeys(message, [keysOf(first), ...rest.map(keysOf)]);
  const headers = withFixed(signed, what.traceparent);
  // A proxy connection is never reused: only the proxy knows where it leads.
  const reuse = connections && !policy.proxyUrl ? { connections, projectId: what.projectId } : undefined;
  const request = { url, headers, body, policy, ...(lookup && { lookup }), ...(reuse && { reuse }) };
  const outcome = await sendWebhook(request, tools.limits);
  if (outcome.proxyFault !== undefined) {
    tools.log?.warn({ fault: outcome.proxyFault }, 'the proxy of WEBHOOK_PROXY_URL failed: a webhook was not sent');
  }
  return { ...outcome, signatures: 1 + rest.length };
}

/** The keys of recent deliveries, by endpoint and encrypted secret: a new secret, or one encrypted again, has another text. */
const keysByRing = new WeakMap<KeyRing, BoundedCache<SigningKeys>>();
const MOST_KEYS = 1_000;

/** Decrypting a secret takes longer than signing with it. */
function knownKeys(endpointId: string, encrypted: string, keyRing: KeyRing): SigningKeys {
  const known = keysByRing.get(keyRing) ?? new BoundedCache<SigningKeys>(MOST_KEYS);
  keysByRing.set(keyRing, known);
  return known.get(`${endpointId} ${encrypted}`, () =>
    signingKeysOf(decrypt(keyRing, encrypted, secretContext(endpointId))),
  );
}
