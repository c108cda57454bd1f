// A pipeline answers cases of a regression run (RS1, RS3): each answer is evaluated and stored, and no item changes.
import type { ItemKind, ItemStatus, Outcome } from '@countersign/shared/enums';
import type { Fault } from '@countersign/shared/json-schema/evaluate';
import type { SubmitterAction } from '@countersign/shared/review-actions';
import { callFaults } from '../../domain/items/tool-call.ts';
import { outcomeOf } from '../../domain/learnings/regression.ts';
import { needsPerson, route, type RoutingSettings } from '../../domain/items/routing.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { readRouting } from '../../db/submit-batch.ts';
import { archivedRefusal, notFound } from '../access/membership.ts';
import { faultsOf, loadAnswerSchema } from '../items/answer-schemas.ts';
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
  /** Why the answer does not satisfy the item, which is a failure; empty where it does. */
  faults: readonly Fault[];
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
  project_id: string;
  kind: ItemKind;
  allowed_actions: SubmitterAction[] | null;
  answer_schema: string | null;
}

async function judgeBatch(em: Em, answers: readonly CaseAnswered[], by: By): Promise<(Judged | null)[]> {
  const ids = answers.map(({ caseId }) => caseId);
  const cases = await rawQuery<CaseRow>(
    em,
    `select c.learning_id, i.suggestion, l.output, i.project_id, i.kind, i.allowed_actions, i.answer_schema from regression_case c
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
    const faults = await faultsIn(em, learning, suggestion);
    const outcome = faults.length > 0 ? 'still_fails' : outcomeOf(learning, suggestion);
    const onlyPeople = isForPeople(learning, suggestion, faults);
    const { status } = route({ confidence, risk_flags: riskFlags, needs_person: onlyPeople }, by.settings);
    const stored = faults.length > 0 ? JSON.stringify(faults) : null;
    rows.set(caseId, {
      learning_id: caseId,
      suggestion,
      confidence,
      risk_flags: riskFlags,
      outcome,
      status,
      faults: stored,
    });
    judged.push({ caseId, outcome, status, faults });
    await yieldToEventLoop();
  }
  await store(em, [...rows.values()], by);
  return judged;
}

/** RT8: whether routing would leave the answer to a person. */
const isForPeople = ({ allowed_actions }: CaseRow, suggestion: string, faults: readonly Fault[]): boolean =>
  needsPerson({ isInvalid: faults.length > 0, hasSuggestion: suggestion !== 'null', allowedActions: allowed_actions });

/** RS1: why the answer could not be the output of its item. */
async function faultsIn(em: Em, { project_id, kind, answer_schema: digest }: CaseRow, text: string): Promise<Fault[]> {
  if (kind === 'tool_call') {
    const faults = callFaults(JSON.parse(text));
    if (faults.length > 0) return faults.map((fault) => ({ ...fault, schema_pointer: '' }));
  }
  if (digest === null || text === 'null') return [];
  return faultsOf(await loadAnswerSchema(em, { projectId: project_id, digest }), { kind, text });
}

async function store(em: Em, rows: object[], { regressionId, name, at }: By): Promise<void> {
  await rawQuery(
    em,
    `update regression_case c set suggestion = r.suggestion, confidence = r.confidence, outcome = r.outcome, status = r.status, faults = r.faults,
       risk_flags = array(select json_array_elements_text(r.risk_flags)), answered_by_name = $3, answered_at = $4
     from json_to_recordset($2::json) as r(learning_id uuid, suggestion text, confidence float8, risk_flags json, outcome text, status text, faults text)
     where c.regression_id = $1 and c.learning_id = r.learning_id`,
    [regressionId, JSON.stringify(rows), name, at],
  );
}
