// A client in the test's own process: it keeps items by their idempotency key, and its reviewers follow a script.
import {
  ApiError,
  ItemEndedError,
  WaitTimeoutError,
  type Decision,
  type Json,
  type NewItem,
  type PublicItem,
} from '@countersign/shared/client';
import { jsonText, RawJson } from '@countersign/shared/json/json';
import type { ReviewClient } from './run.ts';

type Ending = { ends: 'expired' | 'withdrawn' | 'rejected' | 'escalated_final' };
/** What a reviewer does with the calls of a tool. */
export type Plan =
  | { action: 'approve' }
  | { action: 'edit'; arguments: Record<string, Json> }
  | { action: 'reject'; reason: string }
  | { action: 'respond'; response: string }
  | Ending
  | { waits: true };

/** A type, since TypeScript takes no interface for JSON. */
type Call = { name: string; arguments: Record<string, Json> };

/** Reviewers decide items when somebody waits for them; `script` names their plans by the name of the tool. */
export class Reviews implements ReviewClient {
  readonly script: Record<string, Plan>;
  readonly items = new Map<string, { id: string; sent: NewItem; body: string }>();
  submissions = 0;
  /** As if each schema had something that the service does not read. */
  refusesSchemas = false;
  onWait: () => void = () => undefined;

  constructor(script: Record<string, Plan>) {
    this.script = script;
  }

  async submit(item: NewItem | RawJson, { idempotencyKey = '' } = {}) {
    this.submissions += 1;
    if (item instanceof RawJson) throw new TypeError('Items are objects here.');
    if (this.refusesSchemas && item.answer_schema !== null) throw schemaInvalid();
    const body = jsonText(item);
    const known = this.items.get(idempotencyKey);
    if (known !== undefined && known.body !== body) throw new Error('idempotency_key_reused');
    const id = known?.id ?? `item-${this.items.size}`;
    this.items.set(idempotencyKey, { id, sent: item, body });
    const replayed = known !== undefined;
    return { id, status: 'queued' as const, decision: null, replayed, expectedWaitSeconds: null };
  }

  async wait(id: string, { signal, timeoutSeconds = 0 }: { signal?: AbortSignal; timeoutSeconds?: number } = {}) {
    this.onWait();
    signal?.throwIfAborted();
    const found = [...this.items.values()].find((item) => item.id === id);
    const call = found?.sent.suggestion as unknown as Call;
    const plan = this.script[call.name] ?? { waits: true };
    if ('waits' in plan) throw new WaitTimeoutError(id, timeoutSeconds);
    if ('ends' in plan) throw new ItemEndedError({ id, status: plan.ends } as PublicItem);
    return decisionOf(call, plan);
  }

  /** The submissions, each once. */
  sent(): NewItem[] {
    return [...this.items.values()].map(({ sent }) => sent);
  }
}

function schemaInvalid(): ApiError {
  const problem = { code: 'schema_invalid', title: 'Invalid schema', detail: '#/answer_schema: no.' };
  return new ApiError({ status: 422, text: JSON.stringify(problem), header: () => null, retryAfter: null });
}

function decisionOf(call: Call, plan: Exclude<Plan, Ending | { waits: true }>): Decision {
  const output = plan.action === 'edit' ? { ...call, arguments: plan.arguments } : call;
  const approved = plan.action === 'approve' || plan.action === 'edit';
  return {
    ...{ id: 'decision', note: null, reviewer_id: 'ana', decided_at: '2026-11-20T14:02:31.000Z' },
    status: approved ? 'approved' : 'rejected',
    action: plan.action,
    output: approved ? output : null,
    edited: plan.action === 'edit',
    reason: plan.action === 'reject' ? plan.reason : null,
    ...(plan.action === 'respond' ? { response: plan.response } : {}),
  };
}
