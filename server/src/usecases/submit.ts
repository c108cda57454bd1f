// A pipeline submits an item: routed, stored with its facts and its idempotency key in one transaction, answered after the commit.
import { dueAt, isOpen, previewOf } from '../domain/item.ts';
import { toItemRow } from '../domain/item-row.ts';
import { route } from '../domain/routing.ts';
import type { Tx } from '../db/database.ts';
import { Decision } from '../db/entities/decision.ts';
import { Item } from '../db/entities/item.ts';
import { Project } from '../db/entities/project.ts';
import { takeIdempotencyKey } from './idempotency.ts';
import { nothingHere } from './membership.ts';
import type { ApiKeyActor, Services } from './services.ts';

/** A validated submission. The raw members are the JSON text as it arrived. */
export interface SubmitInput {
  input: { value: unknown; raw: string };
  suggestion: { raw: string };
  metadata: { value: Record<string, unknown>; raw: string } | null;
  confidence: number;
  riskFlags: string[];
  /** The Idempotency-Key header with the body's SHA-256, when the sender gave one. */
  idempotency: { key: string; bodySha256: string } | null;
}

export interface SubmitResult {
  item: Item;
  decision: Decision | null;
  /** True when an earlier request with the same key made this item. */
  replayed: boolean;
}

/**
 * Stores one submission. Errors: `idempotency_key_reused`, `idempotency_in_progress`, `not_found` (project archived), `unavailable`.
 * Invariant I2: what is returned is committed; one idempotency key makes one item.
 */
export async function submit(services: Services, actor: ApiKeyActor, input: SubmitInput): Promise<SubmitResult> {
  return services.db.write(async (tx) => {
    const earlier = input.idempotency && (await takeIdempotencyKey(services, tx, { actor, ...input.idempotency }));
    if (earlier?.taken === false) return replay(tx, earlier.itemId);
    const id = earlier?.itemId ?? services.ids.uuid();
    const project = await tx.em.findOne(Project, { id: actor.projectId, archivedAt: null });
    if (project === null) throw nothingHere();
    return store(services, tx, { id, project, actor, input });
  });
}

async function store(
  services: Services,
  tx: Tx,
  arrival: { id: string; project: Project; actor: ApiKeyActor; input: SubmitInput },
): Promise<SubmitResult> {
  const row = newItem(arrival, services.clock.now());
  await tx.em.insert(Item, row);
  const decision = row.status === 'auto_approved' ? await autoApprove(services, tx, row) : null;
  recordArrival(tx, row, arrival.actor);
  return { item: tx.em.map(Item, row), decision, replayed: false };
}

function newItem({ id, project, input }: { id: string; project: Project; input: SubmitInput }, now: Date) {
  const settings = {
    auto_threshold: project.autoThreshold,
    review_threshold: project.reviewThreshold,
    below_review: project.belowReview,
    escalate_flags: project.escalateFlags,
  };
  const routed = route({ confidence: input.confidence, risk_flags: input.riskFlags }, settings);
  return {
    id,
    projectId: project.id,
    status: routed.status,
    publicStatus: null,
    input: input.input.raw,
    suggestion: input.suggestion.raw,
    metadata: input.metadata?.raw ?? null,
    confidence: input.confidence,
    riskFlags: input.riskFlags,
    preview: previewOf(input.input.value),
    model: label(input.metadata?.value.model),
    source: label(input.metadata?.value.source),
    rule: routed.rule,
    autoThreshold: project.autoThreshold,
    reviewThreshold: project.reviewThreshold,
    matchedFlags: routed.matched_flags,
    settingsVersion: project.settingsVersion,
    version: 1,
    claimedBy: null,
    claimFence: 0,
    claimExpiresAt: null,
    createdAt: now,
    dueAt: dueAt(now, project.targetMinutes),
    decidedAt: isOpen(routed.status) ? null : now,
  };
}

async function autoApprove(
  services: Services,
  tx: Tx,
  item: { id: string; projectId: string; suggestion: string; createdAt: Date },
) {
  const decision = {
    id: services.ids.uuid(),
    itemId: item.id,
    projectId: item.projectId,
    status: 'approved' as const,
    action: 'auto_approve' as const,
    output: item.suggestion,
    edited: false,
    reason: null,
    note: null,
    reviewerId: null,
    decidedAt: item.createdAt,
    undoUntil: null,
    finalAt: item.createdAt,
  };
  await tx.em.insert(Decision, decision);
  return tx.em.map(Decision, decision);
}

function recordArrival(tx: Tx, item: Parameters<typeof toItemRow>[0], actor: ApiKeyActor): void {
  const fact = {
    project_id: item.projectId,
    item_id: item.id,
    version: item.version,
    actor: { kind: 'api_key' as const, id: actor.keyId, name: actor.name },
  };
  if (item.status === 'queued' || item.status === 'escalated') {
    tx.record({ type: `item.${item.status}`, ...fact, item: toItemRow(item, null), reason: null });
  } else {
    const action = item.status === 'auto_approved' ? ('auto_approve' as const) : null;
    tx.record({ type: 'item.finalized', ...fact, status: item.status, action, reason: null });
  }
}

/** Model and source are read from metadata when they are short texts; anything else stays in metadata only. */
function label(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 200 ? value : null;
}

async function replay(tx: Tx, itemId: string): Promise<SubmitResult> {
  const item = await tx.em.findOneOrFail(Item, { id: itemId });
  const decision = await tx.em.findOne(Decision, { itemId });
  return { item, decision, replayed: true };
}
