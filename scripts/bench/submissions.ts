// Sends submissions as fast as a server accepts them, over many connections.
import { loadSamples } from '../lib/demo/samples.ts';
import { LOAD_GENERATOR, loadAutocannon } from '../lib/packages/bench-packages.ts';
import { fetchPackages } from '../lib/packages/fetch-packages.ts';

const CONNECTIONS = 64;

/** Where the submissions go. */
export interface Target {
  url: string;
  projectId: string;
  apiKey: string;
}

/**
 * Submits the demo's samples repeatedly. Returns responses per second, all of them 201. Throws on any other response, and where the
 * load generator cannot be installed.
 */
export async function submitFor({ url, projectId, apiKey }: Target, seconds: number): Promise<number> {
  const bodies = loadSamples().map((sample) => JSON.stringify({ project_id: projectId, ...sample }));
  await fetchPackages(LOAD_GENERATOR, (packages) => console.log(`  installing ${packages} (once)`));
  const autocannon = await loadAutocannon();
  const result = await autocannon({
    url: `${url}/api/public/items`,
    connections: CONNECTIONS,
    duration: seconds,
    requests: bodies.map((body) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body,
    })),
  });
  const wrong = result.non2xx + result.errors + result.timeouts;
  if (wrong > 0) throw new Error(`${wrong} of the submissions were not answered with 201.`);
  return result['2xx'] / result.duration;
}
