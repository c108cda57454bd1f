// The way of every item as a trace of OpenTelemetry, where the operator collects them.
import type { Traces } from './steps.ts';

/**
 * Sends steps to a collector, of this share of all items (0 to 1): all steps of an item or none, whichever process they are taken in.
 * `url` null: nobody collects, and nothing of OpenTelemetry is loaded.
 */
export async function openTraces({ url, share }: { url: string | null; share: number }): Promise<Traces | null> {
  if (url === null) return null;
  const { sendTraces } = await import('./send-traces.ts');
  return sendTraces(url, share);
}
