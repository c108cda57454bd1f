// Submits twenty demo items through the public API, exactly as a pipeline does: with its key, one after the other.
import { submitItem } from '@countersign/shared/routes/public';
import type { Submission } from '@countersign/shared/schemas/public';
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';

export type DemoItem = Omit<Submission, 'project_id'>;

interface Load {
  projectId: string;
  apiKey: string;
  items: readonly DemoItem[];
  /** Where to begin: items sent before are not sent again. */
  from: number;
  onsent: (done: number) => void;
  fetch?: typeof fetch;
}

/**
 * Sends the items from `from` on. Throws {@link ApiProblem} at the first refusal, {@link NetworkFailure} when no answer arrives.
 */
export async function loadDemoItems({
  projectId,
  apiKey,
  items,
  from,
  onsent,
  fetch: ask = fetch,
}: Load): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index < from) continue;
    const answer = await send(ask, apiKey, { project_id: projectId, ...item });
    if (!answer.ok) throw await problemOf(answer);
    onsent(index + 1);
  }
}

async function send(ask: typeof fetch, apiKey: string, body: Submission): Promise<Response> {
  try {
    return await ask(submitItem.path, {
      method: submitItem.method,
      // A pipeline has no cookies, and the public API reads none.
      credentials: 'omit',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    });
  } catch {
    throw new NetworkFailure('unreachable');
  }
}

async function problemOf(answer: Response): Promise<ApiProblem> {
  const said = (await answer.json().catch(() => ({}))) as Partial<ApiProblem>;
  const seconds = Number.parseInt(answer.headers.get('retry-after') ?? '', 10);
  const problem = { status: answer.status, code: said.code ?? 'unavailable', title: said.title, detail: said.detail };
  return new ApiProblem(problem, Number.isNaN(seconds) ? null : seconds);
}
