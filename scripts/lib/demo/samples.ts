// The demo's content: support answers and tool calls of the made-up shop Brindlemoor, some of them wrong.
import { readFileSync } from 'node:fs';
import { submission, type Submission } from '../../../shared/src/schemas/public.ts';

/** An item without its project. */
export type Sample = Omit<Submission, 'project_id'>;

/** The samples as JSONL files, which `npm run submit` takes as well. */
const FILES = {
  answers: new URL('../../demo-samples.jsonl', import.meta.url),
  tool_calls: new URL('../../demo-tool-calls.jsonl', import.meta.url),
};

export const DEMO_PROJECT_NAME = 'Support replies';
export const TOOL_CALLS_NAME = 'Agent tool calls';

export const TOOL_CALLS_GUIDELINES = [
  'An agent proposes what it would do for a customer. Nothing happens before you approve it.',
  'Refunds: only what was paid, in EUR. Above 500 EUR, answer in words that the team lead decides.',
  'Addresses: only while the order has not left, and only with street, number, postcode and city. We deliver to DE, FR, IT, NL, ES, AT, CH and GB.',
  'Accounts: at least 7 days of grace, no open orders, and invoices are kept.',
  'Where the agent proposes nothing, write the reply yourself: greet, answer, say what happens next.',
].join('\n\n');

/** What a reviewer needs to see the mistakes: one paragraph per rule. */
export const DEMO_GUIDELINES = [
  'Returns: unused goods within 30 days of delivery. Return postage is 4.90 EUR, free when the goods are faulty. The refund arrives within 5 working days.',
  'Delivery: standard takes 3 to 5 working days and costs 4.90 EUR, free from 60 EUR. Express costs 9.90 EUR and arrives the next working day when ordered before 14:00. We deliver to the EU, the UK and Switzerland.',
  'Warranty: two years on lamps, furniture and kitchen goods. A photo is enough; missing parts are sent at no cost.',
  'Planner: Free has three members; Team is 9 EUR and Studio 19 EUR per member and month. Cancelling takes effect at the end of the paid month. Exports are CSV and iCal: there is no PDF export and no offline mode. There is no discount for schools.',
  'Support: Monday to Friday, 8:00 to 18:00, by chat and e-mail. There is no phone line.',
  'Never ask for a password or a full card number. Never admit liability, and never give legal or safety advice.',
  'Tone: greet by first name, apologise once, blame nobody, answer every question and say what happens next.',
].join('\n\n');

/** Reads and checks the samples. Throws when the file is damaged. */
export function loadSamples(of: keyof typeof FILES = 'answers'): Sample[] {
  const sample = submission.omit({ project_id: true });
  const lines = readFileSync(FILES[of], 'utf8').trimEnd().split('\n');
  return lines.map((line) => sample.parse(JSON.parse(line)));
}
