// Previews an item: routes and checks a submission as the intake would, and stores nothing.
import { isBlind } from '../../domain/audits/audit.ts';
import { type NewItem, readRouting, type SubmissionProject } from '../../db/submit-batch.ts';
import type { Em } from '../../db/orm.ts';
import { archivedRefusal, notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { waitForTurn } from '../yield-to-event-loop.ts';
import { type AnswerSchema, judge, loadAnswerSchema } from './answer-schemas.ts';
import { deadlineRefusal } from './intake.ts';
import { type SubmitInput, toNewItem } from './new-item.ts';
import { projectOf } from './read-item.ts';

interface Preview {
  /** The row that the submission would get; never stored. */
  item: NewItem;
  /** Reviewers of the project must not see what identifies audits (AU3). */
  blind: boolean;
  /** The text of the schema that applies (TS1). */
  answerSchema: string | null;
}

/**
 * PV1: what this submission would become now. It is drawn for no audit (AU1), so that the result is the same each time.
 * Errors: `not_found`, `forbidden`, and `validation_failed` for an impossible deadline (DL6).
 */
export async function previewItem(
  services: Services,
  actor: MemberActor,
  { projectId, input }: { projectId: string; input: SubmitInput },
): Promise<Preview> {
  const { project, schema, blind } = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'change_settings');
    const project = await routingOf(em, projectId);
    const { hasAudits } = await projectOf(em, projectId);
    return { project, schema: await schemaFor(em, input, project), blind: isBlind('reviewer', hasAudits) };
  });
  // It is a change by its method alone: nothing else would notice that the session has ended (A21).
  await services.db.refuseEnded();
  const refusal = deadlineRefusal(input.deadline, new Date(project.clock));
  if (refusal !== null) throw refusal;
  // Its JSON was read, and its schema compiled, in the turn that ends here.
  if (schema !== null) await waitForTurn();
  const check = schema && judge(schema, { kind: input.kind ?? 'answer', text: input.suggestion.raw });
  const made = { ids: services.ids, now: services.clock.now(), check };
  return { item: toNewItem(input, { ...project, audit_rate: 0 }, made), blind, answerSchema: schema?.text ?? null };
}

async function routingOf(em: Em, projectId: string): Promise<SubmissionProject> {
  const project = (await readRouting(em, [projectId])).get(projectId);
  if (project === undefined) throw notFound();
  if (project.archived) throw archivedRefusal();
  return project;
}

/** TS1: the schema of the item, or else that of the project. */
async function schemaFor(
  em: Em,
  { answerSchema }: SubmitInput,
  { id, answer_schema_digest: digest }: SubmissionProject,
): Promise<AnswerSchema | null> {
  if (answerSchema !== undefined) return answerSchema;
  return digest === null ? null : loadAnswerSchema(em, { projectId: id, digest });
}
