// Asks people before a refund, and waits for what they decide.
import { createClient } from '@countersign/client';

const client = createClient();
const { id } = await client.submit(
  {
    input: { customer: 'The teapot arrived with a crack.' },
    suggestion: { order: 'BM-20418', amount: 24.9 },
    confidence: 0.83,
  },
  { idempotencyKey: 'ticket-7' }, // run again, it is the same item
);
const decision = await client.wait(id);

if (decision.status === 'approved') console.log('Refund', decision.output);
else console.log('Do not refund:', decision.reason);
