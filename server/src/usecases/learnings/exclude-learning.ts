// A supervisor excludes a learning from exports and counts, or includes it again (LX5), as an event in the event log.
import { Learning } from '../../db/entities/learning.ts';
import { notFound, requireChange } from '../access/membership.ts';
import { recordChange } from '../projects/record-change.ts';
import type { MemberActor, Services } from '../services.ts';

export interface ExcludeInput {
  projectId: string;
  learningId: string;
  excluded: boolean;
}

/** Errors: `not_found`, `forbidden`. */
export async function excludeLearning(
  services: Services,
  actor: MemberActor,
  { projectId, learningId, excluded }: ExcludeInput,
): Promise<{ id: string; excluded: boolean }> {
  const answer = { id: learningId, excluded };
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'exclude_learnings');
    const learning = await tx.em.findOne(Learning, { id: learningId, projectId });
    if (learning === null) throw notFound();
    // If its decision is undone meanwhile, the learning is deleted and there is nothing left to mark.
    const marked = await tx.em.nativeUpdate(Learning, { id: learningId, excluded: !excluded }, { excluded });
    if (marked === 0) return;
    await recordChange(
      services,
      { tx, actor },
      {
        projectId,
        changed: ['learnings'],
        action: excluded ? 'learning.excluded' : 'learning.included',
        subject: learning.reason,
        subjectId: learningId,
        event: { learning: answer },
      },
    );
  });
  return answer;
}
