// Serves the function to Inngest, at /api/inngest of port 3001.
import { createServer } from 'node:http';
import { serve } from 'inngest/node';
import { answerTicket, inngest } from './functions.ts';

createServer(serve({ client: inngest, functions: [answerTicket] })).listen(3001);
