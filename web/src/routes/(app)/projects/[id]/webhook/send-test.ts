// Requests a test event, and waits for as long as its receiver may take.
import { testWebhook } from '@countersign/shared/routes/webhook';
import type { WebhookTestResult } from '@countersign/shared/schemas/webhook';
import { call } from '#lib/api/client.ts';

/** The receiver has 20 s (W4); the rest is for the way there and back. */
export const TEST_MS = 25_000;

/** To the first endpoint. Throws what `call` throws. */
export const sendTest = (projectId: string): Promise<WebhookTestResult> =>
  call(testWebhook, { params: { id: projectId }, body: {}, timeoutMs: TEST_MS });
