// Opens the OpenTelemetry traces of items, if the operator collects them.
import type { Traces } from './steps.ts';

/**
 * Sends steps to a collector, for this share of all items (0 to 1): all steps of an item or none, whichever process
 * they occur in. `url` null: nothing is collected, and OpenTelemetry is not loaded.
 */
export async function openTraces({ url, share }: { url: string | null; share: number }): Promise<Traces | null> {
  if (url === null) return null;
  const { sendTraces } = await import('./send-traces.ts');
  return sendTraces(url, share);
}
