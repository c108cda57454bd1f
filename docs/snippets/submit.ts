// Submits one item: safe to repeat, patient with a service that is busy or gone.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const {
  COUNTERSIGN_URL,
  COUNTERSIGN_API_KEY = '',
  COUNTERSIGN_PROJECT_ID,
} = process.env;

interface Submitted {
  id: string;
  status:
    | ('auto_approved' | 'queued' | 'escalated' | 'rejected')
    | ('approved' | 'escalated_final'); // to a repeat, decided meanwhile
  decision: { output: unknown } | null;
}

/** One `key` for one piece of work: sent again, it makes no second item. */
async function submit(
  item: object,
  key: string = randomUUID(),
): Promise<Submitted> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(`${COUNTERSIGN_URL}/api/public/items`, {
      method: 'POST',
      signal: AbortSignal.timeout(30_000),
      headers: {
        'content-type': 'application/json',
        'x-api-key': COUNTERSIGN_API_KEY,
        'idempotency-key': key,
      },
      body: JSON.stringify({ project_id: COUNTERSIGN_PROJECT_ID, ...item }),
    }).catch(() => undefined); // no answer: ask again
    if (answer?.ok) return (await answer.json()) as Submitted;
    const problem = (await answer?.text()) ?? 'There was no answer.';
    const status = answer?.status ?? 503;
    const passes = [408, 429].includes(status) || status >= 500;
    if (!(passes || problem.includes('in_progress')) || attempt === 5)
      throw new Error(problem);
    await sleep(Number(answer?.headers.get('retry-after') ?? attempt) * 1000);
  }
}

const { id, status, decision } = await submit({
  input: { question: 'Can I get my money back after 40 days?' },
  suggestion: 'Yes, within 60 days of delivery.',
  confidence: 0.83,
  risk_flags: ['refund'],
  metadata: { model: 'answers-2' },
});

switch (status) {
  case 'auto_approved':
  case 'approved':
    console.log(id, status, 'Ship:', decision?.output);
    break;
  case 'queued':
  case 'escalated':
    console.log(id, status, 'Wait: people decide, a webhook tells you.');
    break;
  case 'rejected':
  case 'escalated_final':
    console.log(id, status, 'Do not ship it.');
}
