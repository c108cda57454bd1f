// Asks people before a refund, and waits for what they decide.
import { createClient } from '@countersign/client';

const {
  COUNTERSIGN_URL: baseUrl = '',
  COUNTERSIGN_API_KEY: apiKey = '',
  COUNTERSIGN_PROJECT_ID: project_id = '',
} = process.env;
const client = createClient({ baseUrl, apiKey });

let { id, status, decision } = await client.submit(
  {
    project_id,
    input: { customer: 'The teapot arrived with a crack.' },
    suggestion: { order: 'BM-20418', amount: 24.9 },
    confidence: 0.83,
  },
  { idempotencyKey: 'ticket-7' }, // run again, it is the same item
);
while (status === 'queued' || status === 'escalated')
  ({ status, decision } = await client.item(id, { waitSeconds: 60 }));

if (decision?.status === 'approved') console.log('Refund', decision.output);
else console.log('Do not refund:', decision?.reason ?? status);
