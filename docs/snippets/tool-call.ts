// Asks people before an agent's tool call runs; they may change it or answer.
import { randomUUID } from 'node:crypto';

const {
  COUNTERSIGN_URL,
  COUNTERSIGN_API_KEY = '',
  COUNTERSIGN_PROJECT_ID,
} = process.env;

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

interface Reviewed {
  id: string;
  status: string;
  decision: {
    output: Call | null;
    reason: string | null;
    response?: string; // where the action is "respond"
  } | null;
}

async function request(
  path: string,
  init: RequestInit = {},
): Promise<Reviewed> {
  const answer = await fetch(`${COUNTERSIGN_URL}/api/public/items${path}`, {
    ...init,
    signal: AbortSignal.timeout(60_000),
    headers: {
      'content-type': 'application/json',
      'x-api-key': COUNTERSIGN_API_KEY,
      ...init.headers,
    },
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Reviewed;
}

/** Submits the call and waits for its decision. `key`: the agent's own id of the call. */
async function review(call: Call, key: string): Promise<Reviewed> {
  const item = {
    project_id: COUNTERSIGN_PROJECT_ID,
    kind: 'tool_call',
    title: 'Refund 24.90 EUR for order BM-20418',
    input: { customer: 'The teapot arrived with a crack.' },
    suggestion: call,
    // Describes the arguments: people edit them in a form made from it.
    answer_schema: {
      type: 'object',
      required: ['order', 'amount'],
      additionalProperties: false,
      properties: {
        order: { type: 'string' },
        amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 },
      },
    },
    allowed_actions: ['approve', 'edit', 'reject', 'respond'],
    confidence: 0.83,
  };
  let reviewed = await request('', {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify(item),
  });
  while (['queued', 'escalated'].includes(reviewed.status))
    reviewed = await request(`/${reviewed.id}?wait=30`);
  return reviewed;
}

const { id, status, decision } = await review(
  { name: 'issue_refund', arguments: { order: 'BM-20418', amount: 24.9 } },
  randomUUID(),
);

if (decision?.output) {
  // The arguments may be others than those that were suggested.
  const { name, arguments: changed } = decision.output;
  console.log(id, status, 'Run:', name, JSON.stringify(changed));
} else if (decision?.response !== undefined) {
  console.log(
    id,
    status,
    'Do not run it, but tell the agent:',
    decision.response,
  );
} else {
  console.log(id, status, 'Do not run it:', decision?.reason ?? 'no reason');
}
