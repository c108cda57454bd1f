// Takes away what was kept for as long as an owner said (KE), a portion at a time along each ledger: a crash costs a portion.
import { holdItems, nextErrand, walk, type Errand } from '../db/keeping-walk.ts';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { takeAway, type Gone } from '../db/take-away.ts';
import { goes } from '../domain/keeping.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** How often to look, in milliseconds. */
export const KEEP_MS = 10 * 60_000;
/** The shortest time between the starts of two portions, in milliseconds: a past of years is no reason to slow people down. */
export const KEEP_GAP_MS = 100;
/** Facts that one transaction looks at. */
const PORTION = 500;

/** Carries out one portion of one kind of one project. Several workers may run it at once: of one errand one has the next portion. */
export async function keepOnce(services: Services, portion = PORTION): Promise<Next> {
  const now = services.clock.now();
  const done = await services.db.write(async ({ em }) => {
    const errand = await nextErrand(em, now);
    return errand === null ? null : { ...errand, items: await carryOut(em, errand, { now, portion }) };
  });
  if (done === null) return { again: false };
  const { projectId: project, kind, items } = done;
  services.log.debug({ project, kind, items }, 'what was kept for long enough was taken away');
  return { again: true };
}

/** Answers of how many items something went. */
async function carryOut(em: Em, errand: Errand, at: { now: Date; portion: number }): Promise<number> {
  const { through, itemIds } = await walk(em, errand, at);
  if (through === null) return 0;
  const standing = await holdItems(em, itemIds, through);
  const ids = standing.filter((item) => goes(errand.kind, item)).map(({ id }) => id);
  await note(em, errand, { through, ...(await takeAway(em, errand.kind, { ids, now: at.now })) });
  return ids.length;
}

async function note(
  em: Em,
  { projectId, kind }: Errand,
  { through, facts, until }: Gone & { through: number },
): Promise<void> {
  await rawQuery(
    em,
    `update keeping set through_seq = $3, facts_gone = facts_gone + $4, gone_until = greatest(gone_until, $5::timestamptz)
     where project_id = $1 and kind = $2`,
    [projectId, kind, through, facts, until],
  );
}
