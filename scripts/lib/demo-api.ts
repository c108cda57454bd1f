// How the demo's pipeline reaches the service: over HTTP through the public API, as any other pipeline.
import { submitItem, submitted, type Submitted } from '../../shared/src/api/public.ts';
import { problem } from '../../shared/src/errors.ts';
import type { Sample } from './demo-samples.ts';

export interface DemoProject {
  /** Address that the service listens on, without a slash at its end. */
  readonly base: string;
  readonly projectId: string;
  readonly apiKey: string;
}

/** Submits one sample. Throws an error whose message is the service's own sentence when it is refused. */
export async function submitSample({ base, projectId, apiKey }: DemoProject, sample: Sample): Promise<Submitted> {
  const response = await fetch(base + submitItem.path, {
    method: submitItem.method,
    // Between two items the service would close the connection anyway; an open one would only hold up its stop.
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey, connection: 'close' },
    body: JSON.stringify({ project_id: projectId, ...sample }),
  });
  const answer: unknown = await response.json();
  if (response.ok) return submitted.parse(answer);
  const fault = problem.safeParse(answer);
  throw new Error(fault.success ? fault.data.detail : `the service answered ${response.status}`);
}
