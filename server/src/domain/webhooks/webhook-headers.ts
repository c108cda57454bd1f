// Builds the headers of an attempt, in one place for sending and for showing them (W6).
import { signedHeaders } from '@countersign/shared/webhook';

const FIXED = { 'content-type': 'application/json', 'user-agent': 'Countersign-Webhooks/1' };
const DOTS = '•'.repeat(12);

/** The fixed headers of an attempt with the signed ones added. */
export const withFixed = (signed: Record<string, string>): Record<string, string> => ({ ...FIXED, ...signed });

/** The timestamp of an attempt, in Unix seconds. */
export const timestampOf = (at: Date): number => Math.floor(at.getTime() / 1000);

export interface SentAttempt {
  webhookId: string;
  attempt: number;
  at: Date;
  /** How many secrets signed it; null, taken as one, where that was not recorded. */
  signatures: number | null;
}

/**
 * The headers an attempt was sent with. Signatures are masked, because with one anybody could send the same bytes in our name.
 */
export function maskedHeaders({ webhookId, attempt, at, signatures }: SentAttempt): Record<string, string> {
  const twice = signatures === 2;
  const message = { id: webhookId, timestamp: timestampOf(at), attempt };
  const standard = Array<string>(twice ? 2 : 1).fill(`v1,${DOTS}`);
  return withFixed(signedHeaders(message, { plain: DOTS, plainSecondary: twice ? DOTS : undefined, standard }));
}
