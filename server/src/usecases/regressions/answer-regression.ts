// A pipeline answers cases of a regression run (RS1, RS3): each answer is evaluated and stored, and no item changes.
import type { ItemStatus, Outcome } from '@countersign/shared/enums';
import { outcomeOf } from '../../domain/learnings/regression.ts';
import { route, type RoutingSettings } from '../../domain/items/routing.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { readRouting } from '../../db/submit-batch.ts';
import { archivedRefusal, notFound } from '../access/membership.ts';
import type { ApiKeyActor, Services } from '../services.ts';
import { appendRegressionsChanged } from './start-regression.ts';
import { createYielder } from '../yield-to-event-loop.ts';

export interface CaseAnswered {
  caseId: string;
  /** JSON text as received. */
  suggestion: string;
  confidence: number;
  riskFlags: readonly string[];
}

export interface Judged {
  caseId: string;
  outcome: Outcome;
  /** The status that the project's present routing would give it. */
  status: ItemStatus;
}

/** How many cases are evaluated at once: with the largest items about 25 MB. */
const BATCH_SIZE = 50;

/**
 * Evaluates the answers, in their order; null for a case that this run does not have. The last answer to a case counts. Errors:
 * `not_found`, `forbidden` for an archived project.
 */
export async function answerRegression(
  services: Services,
  actor: ApiKeyActor,
  { regressionId, answers }: { regressionId: string; answers: readonly CaseAnswered[] },
): Promise<(Judged | null)[]> {
  const { projectId } = actor;
  return services.db.write(async (tx) => {
    const { em } = tx;
    // Locked until the transaction ends: concurrent answers to the same run wait, so that the last one is stored completely.
    const run = await rawQuery(em, 'select 1 from regression where id = $1 and project_id = $2 for update', [
      regressionId,
      projectId,
    ]);
    if (run.length === 0) throw notFound();
    const settings = (await readRouting(em, [projectId])).get(projectId);
    if (settings === undefined) throw notFound();
    if (settings.archived) throw archivedRefusal();
    const by = { regressionId, name: actor.name, at: services.clock.now(), settings };
    const judged: (Judged | null)[] = [];
    for (let at = 0; at < answers.length; at += BATCH_SIZE)
      judged.push(...(await judgeBatch(em, answers.slice(at, at + BATCH_SIZE), by)));
    if (judged.some((one) => one !== null)) await appendRegressionsChanged(tx, projectId, actor);
    return judged;
  });
}

interface By {
  regressionId: string;
  name: string;
  at: Date;
  settings: RoutingSettings;
}

interface CaseRow {
  learning_id: string;
  suggestion: string;
  output: string | null;
}

async function judgeBatch(em: Em, answers: readonly CaseAnswered[], by: By): Promise<(Judged | null)[]> {
  const ids = answers.map(({ caseId }) => caseId);
  const cases = await rawQuery<CaseRow>(
    em,
    `select c.learning_id, i.suggestion, l.output from regression_case c
     join learning l on l.id = c.learning_id join item i on i.id = l.item_id
     where c.regression_id = $1 and c.learning_id = any($2::uuid[])`,
    [by.regressionId, `{${ids.join(',')}}`],
  );
  const known = new Map(cases.map((row) => [row.learning_id, row]));
  const rows = new Map<string, object>();
  const judged: (Judged | null)[] = [];
  const yieldToEventLoop = createYielder();
  for (const { caseId, suggestion, confidence, riskFlags } of answers) {
    const learning = known.get(caseId);
    if (learning === undefined) {
      judged.push(null);
      continue;
    }
    const outcome = outcomeOf(learning, suggestion);
    const { status } = route({ confidence, risk_flags: riskFlags }, by.settings);
    rows.set(caseId, { learning_id: caseId, suggestion, confidence, risk_flags: riskFlags, outcome, status });
    judged.push({ caseId, outcome, status });
    await yieldToEventLoop();
  }
  await store(em, [...rows.values()], by);
  return judged;
}

async function store(em: Em, rows: object[], { regressionId, name, at }: By): Promise<void> {
  await rawQuery(
    em,
    `update regression_case c set suggestion = r.suggestion, confidence = r.confidence, outcome = r.outcome, status = r.status,
       risk_flags = array(select json_array_elements_text(r.risk_flags)), answered_by_name = $3, answered_at = $4
     from json_to_recordset($2::json) as r(learning_id uuid, suggestion text, confidence float8, risk_flags json, outcome text, status text)
     where c.regression_id = $1 and c.learning_id = r.learning_id`,
    [regressionId, JSON.stringify(rows), name, at],
  );
}
