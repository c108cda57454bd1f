// Sends submissions as fast as a server accepts them, over many connections.
import autocannon from 'autocannon';
import { loadSamples } from '../lib/demo/samples.ts';

const CONNECTIONS = 64;

/** Where the submissions go. */
export interface Target {
  url: string;
  projectId: string;
  apiKey: string;
}

/** Submits the demo's samples repeatedly. Returns responses per second, all of them 201. Throws on any other response. */
export async function submitFor({ url, projectId, apiKey }: Target, seconds: number): Promise<number> {
  const bodies = loadSamples().map((sample) => JSON.stringify({ project_id: projectId, ...sample }));
  const result = await autocannon({
    url: `${url}/api/public/items`,
    connections: CONNECTIONS,
    duration: seconds,
    requests: bodies.map((body) => ({
      method: 'POST' as const,
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body,
    })),
  });
  const wrong = result.non2xx + result.errors + result.timeouts;
  if (wrong > 0) throw new Error(`${wrong} of the submissions were not answered with 201.`);
  return result['2xx'] / result.duration;
}
