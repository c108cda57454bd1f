// The examples of the OpenAPI document, as one story: an assistant submits answers, Anna decides one.
import type { BatchResult, PublicEvent, PublicItem, Submission, Submitted } from '@countersign/shared/schemas/public';
import type { Decision } from '@countersign/shared/schemas/parts/decision';
import type {
  DecisionRevised,
  ItemDecided,
  ItemExpired,
  ItemWithdrawn,
  ProjectAttention,
} from '@countersign/shared/schemas/parts/webhook-events';
import { problemExample } from './problems.ts';

const SUPERVISOR = '0198c2f0-6c02-7d8e-9f10-2b3c4d5e6f70';
const PROJECT = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
const ANNA = '0198c2f0-91b4-7d52-8a07-5c1f3e9d7a42';

/** High enough for review, below the auto-approve threshold. */
export const queuedSubmission: Submission = {
  project_id: PROJECT,
  input: { question: 'My parcel arrived with a broken lamp. What can I do?', language: 'en' },
  suggestion: 'I am sorry about the lamp. Send us a photo within 14 days and we will refund it.',
  confidence: 0.82,
  metadata: { model: 'assistant-7', source: 'support-chat', ticket: 'T-48213' },
};

/** A JSON suggestion, with one of the project’s escalate flags. */
export const flaggedSubmission: Submission = {
  project_id: PROJECT,
  input: { question: 'I will take this to court. Refund me today.' },
  suggestion: { action: 'refund', amount: '249.00', currency: 'EUR' },
  confidence: 0.95,
  risk_flags: ['legal'],
};

/** Nobody answers it later than in fifteen minutes: then it is rejected. */
export const urgentSubmission: Submission = { ...queuedSubmission, deadline_seconds: 900, on_deadline: 'reject' };

/** What an agent would do: reviewers may change the arguments, let it happen, or answer in words instead. */
export const toolCallSubmission: Submission = {
  project_id: PROJECT,
  title: 'Refund 24.90 EUR for order BM-20418',
  kind: 'tool_call',
  input: { customer_message: 'The teapot arrived with a crack. Can I have my money back?', order: 'BM-20418' },
  suggestion: { name: 'issue_refund', arguments: { order: 'BM-20418', amount: 24.9 } },
  answer_schema: {
    type: 'object',
    properties: { order: { type: 'string' }, amount: { type: 'number', exclusiveMinimum: 0, maximum: 500 } },
    required: ['order', 'amount'],
    additionalProperties: false,
  },
  allowed_actions: ['approve', 'edit', 'reject', 'respond'],
  confidence: 0.91,
  metadata: { model: 'ops-agent-1' },
};

const confidentSubmission: Submission = {
  project_id: PROJECT,
  input: { question: 'Until when is the shop in Lyon open?' },
  suggestion: 'Until 19:00, on Saturdays until 18:00.',
  confidence: 0.97,
};

const automatic: Decision = {
  id: '0198c2f1-10aa-7b3c-8d21-4e5f60718293',
  status: 'approved',
  action: 'auto_approve',
  output: confidentSubmission.suggestion,
  edited: false,
  reason: null,
  note: null,
  reviewer_id: null,
  decided_at: '2026-03-02T09:15:04.310Z',
};

const edited: Decision = {
  id: '0198c2f3-55d0-7e19-b0c4-9a8b7c6d5e4f',
  status: 'approved',
  action: 'edit',
  output: 'I am sorry about the lamp. Send us a photo within 30 days and we will replace or refund it.',
  edited: true,
  reason: 'Wrong fact',
  note: 'Glass is covered for 30 days.',
  reviewer_id: ANNA,
  decided_at: '2026-03-02T09:17:41.892Z',
};

const QUEUED_ID = '0198c2f1-0c3e-7a55-9b1d-6f7e8d9c0a1b';
const FLAGGED_ID = '0198c2f1-0e91-7c08-a3f2-1b2c3d4e5f60';

export const queued: Submitted = { id: QUEUED_ID, status: 'queued', decision: null };
export const escalated: Submitted = { id: FLAGGED_ID, status: 'escalated', decision: null };
export const autoApproved: Submitted = {
  id: '0198c2f1-10a9-7f4e-8c6b-0d1e2f3a4b5c',
  status: 'auto_approved',
  decision: automatic,
};
/** The response to a submission with `Prefer: wait` when a reviewer was quick enough. */
export const approved: Submitted = { id: QUEUED_ID, status: 'approved', decision: edited };

const OTHER_PROJECT = '0198c2f0-8b21-7d4f-a07c-3e5f7b9d1c22';
/** The third item names a project that the key does not belong to. */
export const batch = {
  items: [confidentSubmission, flaggedSubmission, { ...queuedSubmission, project_id: OTHER_PROJECT }],
};
export const batchResults: BatchResult[] = [
  { index: 0, ...autoApproved },
  { index: 1, ...escalated },
  { index: 2, error: problemExample('project_mismatch', '/api/public/items/batch') },
];

export const decidedItem: PublicItem = {
  ...approved,
  project_id: PROJECT,
  input: queuedSubmission.input,
  suggestion: queuedSubmission.suggestion,
  confidence: queuedSubmission.confidence,
  risk_flags: [],
  metadata: queuedSubmission.metadata ?? null,
  routing: { rule: 'RT3', auto_threshold: 0.9, review_threshold: 0.6, matched_flags: [], settings_version: 4 },
  created_at: '2026-03-02T09:15:03.166Z',
  decided_at: edited.decided_at,
};

export const escalatedItem: PublicItem = {
  ...escalated,
  project_id: PROJECT,
  input: flaggedSubmission.input,
  suggestion: flaggedSubmission.suggestion,
  confidence: flaggedSubmission.confidence,
  risk_flags: ['legal'],
  metadata: null,
  routing: { rule: 'RT1', auto_threshold: 0.9, review_threshold: 0.6, matched_flags: ['legal'], settings_version: 4 },
  created_at: '2026-03-02T09:15:03.761Z',
  decided_at: null,
};

export const itemDecidedBody: ItemDecided = {
  event: 'item.decided',
  item_id: QUEUED_ID,
  project_id: PROJECT,
  status: edited.status,
  decision: edited,
  reviewer_id: ANNA,
  decided_at: edited.decided_at,
};

const revised: Decision = {
  id: '0198c2f9-3c51-7b6e-8d40-1a2b3c4d5e6f',
  status: 'rejected',
  action: 'reject',
  output: null,
  edited: false,
  reason: 'Policy changed',
  note: null,
  reviewer_id: SUPERVISOR,
  decided_at: '2026-03-02T11:40:07.512Z',
  revision: 2,
  revises: edited.id,
};

export const decisionRevisedBody: DecisionRevised = {
  event: 'decision.revised',
  item_id: QUEUED_ID,
  project_id: PROJECT,
  status: revised.status,
  decision: revised,
  reviewer_id: SUPERVISOR,
  decided_at: revised.decided_at,
};

export const projectAttentionBody: ProjectAttention = {
  event: 'project.attention',
  project_id: PROJECT,
  project_name: 'Support answers',
  url: `https://review.example.org/projects/${PROJECT}`,
  findings: [
    {
      rule: 'waiting_longer_than',
      count: 12,
      limit: 30,
      text: '12 items have waited longer than 30 minutes.',
    },
  ],
  sent_at: '2026-03-02T09:50:00.000Z',
};

const respondedId = '0198c2f1-1b70-7d19-9e2a-7c8d9e0f1a2b';
const responded: Decision = {
  id: '0198c2f4-0a61-7c2d-8e3f-4a5b6c7d8e9f',
  status: 'rejected',
  action: 'respond',
  output: null,
  edited: false,
  reason: null,
  note: null,
  response: 'The warranty covers it: offer a new lid first.',
  reviewer_id: ANNA,
  decided_at: '2026-03-02T09:19:20.004Z',
};

export const respondedItem: PublicItem = {
  id: respondedId,
  project_id: PROJECT,
  status: 'rejected',
  decision: responded,
  input: toolCallSubmission.input,
  suggestion: toolCallSubmission.suggestion,
  confidence: toolCallSubmission.confidence,
  risk_flags: [],
  metadata: toolCallSubmission.metadata ?? null,
  answer_schema: toolCallSubmission.answer_schema,
  title: toolCallSubmission.title,
  kind: 'tool_call',
  allowed_actions: toolCallSubmission.allowed_actions,
  routing: { rule: 'RT3', auto_threshold: 0.95, review_threshold: 0.6, matched_flags: [], settings_version: 4 },
  created_at: '2026-03-02T09:18:11.207Z',
  decided_at: responded.decided_at,
};

export const withdrawnItem: Submitted = { id: FLAGGED_ID, status: 'withdrawn', decision: null };

export const itemWithdrawnBody: ItemWithdrawn = {
  event: 'item.withdrawn',
  item_id: FLAGGED_ID,
  project_id: PROJECT,
  status: 'withdrawn',
  decision: null,
  reviewer_id: null,
  decided_at: '2026-03-02T09:16:20.114Z',
};

const EXPIRED_ID = '0198c2f1-2d84-7a6b-9c1d-8e9f0a1b2c3d';
const EXPIRED_AT = '2026-03-02T09:31:04.015Z';

export const expiredItem: PublicItem = {
  id: EXPIRED_ID,
  project_id: PROJECT,
  status: 'expired',
  decision: null,
  input: flaggedSubmission.input,
  suggestion: flaggedSubmission.suggestion,
  confidence: flaggedSubmission.confidence,
  risk_flags: ['legal'],
  metadata: null,
  deadline: '2026-03-02T09:31:04.000Z',
  on_deadline: 'expire',
  routing: escalatedItem.routing,
  created_at: '2026-03-02T09:16:04.000Z',
  decided_at: EXPIRED_AT,
};
/** The response to a submission with `Prefer: wait` whose deadline was first. */
export const expired: Submitted = { id: EXPIRED_ID, status: 'expired', decision: null };

export const itemExpiredBody: ItemExpired = {
  event: 'item.expired',
  item_id: EXPIRED_ID,
  project_id: PROJECT,
  status: 'expired',
  decision: null,
  reviewer_id: null,
  decided_at: EXPIRED_AT,
};
export const expiredEvent: PublicEvent = { id: 'evt_0198c2ff-4e10-7c3d-8a5b-6c7d8e9f0a1b', ...itemExpiredBody };

export const WEBHOOK_ID = 'evt_0198c2f3-6a02-7d31-8f45-abcdef012345';
export const event: PublicEvent = { id: WEBHOOK_ID, ...itemDecidedBody };
