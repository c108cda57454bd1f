// The projects of the demo: what they start with, and which of them have a history.
import type { DemoSeed } from '../../../server/src/usecases/projects/seed-demo.ts';
import type { DemoArea } from './history/people.ts';
import { DEMO_GUIDELINES, DEMO_PROJECT_NAME, TOOL_CALLS_GUIDELINES, TOOL_CALLS_NAME } from './samples.ts';

type Seed = Omit<DemoSeed, 'webhookUrl' | 'project'>;

const REFUND_GUIDELINES = [
  'Refunds: only what was paid, in EUR. Deduct 4.90 EUR return postage unless the goods are faulty.',
  'Damage: a photo first. Double charges: look into the account, most second payments are released by the bank.',
  'Above 500 EUR the team lead decides.',
].join('\n\n');

const POST_GUIDELINES = [
  'Keep criticism, also when it is sharp. Hide insults against persons.',
  'Remove advertising, also when it reads like advice. Hide personal data of others.',
  'A post that quotes a rule does not break it.',
].join('\n\n');

/** A project with a history, and its share of the items. */
export const HISTORY_PROJECTS: Readonly<Record<DemoArea, Seed & { share: number }>> = {
  answers: {
    name: DEMO_PROJECT_NAME,
    share: 0.6,
    // Often enough that the audit figures show something within an evening.
    settings: { guidelines: DEMO_GUIDELINES, audit_rate: 0.15, error_budget: 0.03 },
  },
  refunds: {
    name: 'Refund requests',
    share: 0.2,
    settings: {
      guidelines: REFUND_GUIDELINES,
      escalate_flags: ['high_value'],
      below_review: 'queue',
      audit_rate: 0.05,
    },
  },
  posts: {
    name: 'Community posts',
    share: 0.2,
    settings: {
      guidelines: POST_GUIDELINES,
      reasons: ['Misread post', 'Advertising missed', 'Insult missed', 'Personal data missed', 'Other'],
      auto_threshold: 0.93,
      target_minutes: 240,
      audit_rate: 0.05,
    },
  },
};

/** The project of tool calls has none: its pipeline begins with the demo. */
export const TOOL_CALLS: Seed = {
  name: TOOL_CALLS_NAME,
  settings: { guidelines: TOOL_CALLS_GUIDELINES, escalate_flags: ['high_value', 'legal'], below_review: 'queue' },
};
