// Starts a regression run over the present learnings (RS2): by a supervisor on the page, or by a pipeline with its key.
import { MAX_CASES } from '@countersign/shared/limits';
import { Refusal } from '@countersign/shared/errors';
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { displayName, keyRef, memberRef } from '../../domain/access/actor.ts';
import type { Tx } from '../../db/database.ts';
import { Cluster } from '../../db/entities/cluster.ts';
import type { Em } from '../../db/orm.ts';
import { appendProjectChanged } from '../../db/record-change.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { notFound, refuseArchived, requirePermission } from '../access/membership.ts';
import { fromOf, whereOf } from '../learnings/learning-where.ts';
import { inCluster } from '../learnings/list-learnings.ts';
import { runOf, type RunRow } from './regression-rows.ts';
import type { ApiKeyActor, MemberActor, Services } from '../services.ts';

export interface RunInput {
  projectId: string;
  cluster: string | undefined;
  title: string | undefined;
  filter: Omit<LearningFilter, 'excluded'>;
  /** A repeated start with the same key returns the same run. */
  requestKey: string | null;
}

export interface Started {
  run: RunRow;
  /** An earlier request with the same key started it. */
  replayed: boolean;
}

/** Errors: `not_found`, `forbidden`, `idempotency_key_reused`, `validation_failed` when no learning matches. */
export async function startRegression(
  services: Services,
  who: MemberActor | ApiKeyActor,
  input: RunInput,
): Promise<Started> {
  const { projectId, cluster } = input;
  const [id, createdAt] = [services.ids.uuid(), services.clock.now()];
  return services.db.write(async (tx) => {
    await refuseOthers(tx.em, who, projectId);
    if (cluster !== undefined && (await tx.em.count(Cluster, { id: cluster, projectId })) === 0) throw notFound();
    const startedByName = who.kind === 'member' ? displayName(who) : who.name;
    if (!(await insertRun(tx.em, input, { id, startedByName, createdAt })))
      return { run: await runOf(tx.em, projectId, await begunEarlier(tx.em, input)), replayed: true };
    if ((await pinCases(tx.em, id, input)) === 0) throw nothingAnswers();
    await appendRegressionsChanged(tx, projectId, who);
    return { run: await runOf(tx.em, projectId, id), replayed: false };
  });
}

/** How many cases the run would have. */
export function countRun(services: Services, input: RunInput): Promise<number> {
  return services.db.read(async (em) => {
    const { text, values } = newestOf(input);
    const [row] = await rawQuery<{ n: number }>(em, `select count(*)::int as n from (${text}) newest`, values);
    return row?.n ?? 0;
  });
}

/** False when a run with this key exists; waits for a concurrent start with the same key. */
async function insertRun(
  em: Em,
  { projectId, cluster, title, filter, requestKey }: RunInput,
  { id, startedByName, createdAt }: { id: string; startedByName: string; createdAt: Date },
): Promise<boolean> {
  const inserted = await rawQuery(
    em,
    `insert into regression (id, project_id, cluster_id, title, filter, request_key, started_by_name, created_at)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8) on conflict (project_id, request_key) do nothing returning 1`,
    [id, projectId, cluster ?? null, title ?? null, JSON.stringify(filter), requestKey, startedByName, createdAt],
  );
  return inserted.length > 0;
}

/** Errors: `idempotency_key_reused` when another run was started with this key. */
async function begunEarlier(em: Em, { projectId, cluster, title, filter, requestKey }: RunInput): Promise<string> {
  const [run] = await rawQuery<{ id: string }>(
    em,
    `select id from regression where project_id = $1 and request_key = $2
       and cluster_id is not distinct from $3::uuid and title is not distinct from $4::text and filter = $5::jsonb`,
    [projectId, requestKey, cluster ?? null, title ?? null, JSON.stringify(filter)],
  );
  if (run === undefined) throw new Refusal('idempotency_key_reused', 'Use a new Idempotency-Key for another run.');
  return run.id;
}

/** The project is not locked: every event updates it, and storing the cases takes long. */
async function refuseOthers(em: Em, who: MemberActor | ApiKeyActor, projectId: string): Promise<void> {
  if (who.kind === 'member') await requirePermission(em, { userId: who.userId, projectId }, 'start_regressions');
  await refuseArchived(em, projectId);
}

/** The newest matching learnings that are not excluded. */
function newestOf({ projectId, cluster, filter }: RunInput): { text: string; values: unknown[] } {
  const where = inCluster(whereOf({ projectId, filter }), cluster);
  const text = `select l.id, l.created_at ${fromOf(where)} where ${where.text} and not l.excluded
    order by l.created_at desc, l.id desc limit ${MAX_CASES}`;
  return { text, values: where.values };
}

/** A learning whose decision is just being undone is not included. */
async function pinCases(em: Em, id: string, input: RunInput): Promise<number> {
  const { text, values } = newestOf(input);
  const run = `$${values.length + 1}::uuid`;
  const rows = await rawQuery(
    em,
    `insert into regression_case (regression_id, learning_id, project_id, place)
     select ${run}, id, $1, row_number() over (order by created_at desc, id desc) from (${text} for key share of l) newest
     returning 1`,
    [...values, id],
  );
  return rows.length;
}

/** Appends the event on which pages reload their runs. */
export function appendRegressionsChanged(tx: Tx, projectId: string, who: MemberActor | ApiKeyActor): Promise<void> {
  const by = who.kind === 'member' ? memberRef(who) : keyRef(who);
  return appendProjectChanged(tx, { projectId, changed: ['regressions'], by });
}

const nothingAnswers = () =>
  new Refusal('validation_failed', 'No matching learnings, so there is nothing to run. Widen the filter.');
