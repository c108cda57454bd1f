// The headers of one attempt, made in one place for what is sent and for what is shown of it (W6).
import { signedHeaders } from '@countersign/shared/webhook';

const FIXED = { 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1' };
const DOTS = '•'.repeat(12);

/** All that an attempt is sent with, by what signs it. */
export const withFixed = (signed: Record<string, string>): Record<string, string> => ({ ...FIXED, ...signed });

/** The second an attempt is stamped with, in unix time. */
export const timestampOf = (at: Date): number => Math.floor(at.getTime() / 1000);

export interface SentAttempt {
  webhookId: string;
  attempt: number;
  at: Date;
  /** How many secrets signed it; one where that was not kept. */
  signatures: number | null;
}

/** The headers an attempt was sent with. Dots stand for the signatures: whoever has one can send the same bytes in our name. */
export function maskedHeaders({ webhookId, attempt, at, signatures }: SentAttempt): Record<string, string> {
  const twice = signatures === 2;
  const message = { id: webhookId, timestamp: timestampOf(at), attempt };
  const standard = Array<string>(twice ? 2 : 1).fill(`v1,${DOTS}`);
  return withFixed(signedHeaders(message, { plain: DOTS, plainSecondary: twice ? DOTS : undefined, standard }));
}
