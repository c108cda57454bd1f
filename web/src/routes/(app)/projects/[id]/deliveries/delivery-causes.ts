// The causes of failed attempts, in the service's terms; an unknown cause is shown as received.
export const ATTEMPT_CAUSES = [
  'dns_error',
  'blocked_address',
  'connect_timeout',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'timeout',
  'response_too_large',
  'redirect_refused',
  'http_4xx',
  'http_5xx',
  'invalid_url',
  'internal',
  'lease_lost',
] as const;
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

/** The cause of a word, or null for one this page does not know. */
export const causeOf = (error: string): AttemptCause | null => ATTEMPT_CAUSES.find((cause) => cause === error) ?? null;
