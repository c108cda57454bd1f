// Connects the demo's pipeline to the service, with the client through the public API, like any other pipeline.
import { createClient, type Fetch, type SubmitReply } from '../../../shared/src/client.ts';
import type { Sample } from './samples.ts';

export interface DemoProject {
  /** Address that the service listens on. */
  readonly base: string;
  readonly projectId: string;
  readonly apiKey: string;
}

/** Between two items the service would close the connection anyway; an open one would only delay its stop. */
const fetchAndClose: Fetch = (url, request) =>
  fetch(url, { ...request, headers: { ...request.headers, connection: 'close' } });

/**
 * What submits a sample. It does not try again, because the pipeline does at its own pace.
 * Errors: those of the client, whose message is the service's own sentence when it refuses.
 */
export function sampleSubmitter({ base, projectId, apiKey }: DemoProject): (sample: Sample) => Promise<SubmitReply> {
  const client = createClient({ baseUrl: base, apiKey, fetch: fetchAndClose, retry: { seconds: 0 } });
  return (sample) => client.submit({ project_id: projectId, ...sample });
}
