// Takes away what was kept for as long as an owner said (KE), a portion at a time along each ledger: a crash costs a portion.
import { DatabaseGone } from '../db/database.ts';
import { holdItems, nameOf, nextErrand, walk, type Errand } from '../db/keeping-walk.ts';
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

/** How long an errand that failed is left alone, in milliseconds, while the others go on. */
const REST_MS = KEEP_MS;

export interface Keeper {
  /**
   * Carries out one portion of one kind of one project. Several workers may run it at once: of one errand one has the next portion.
   * Errors: what a portion fails with; that errand rests then, and the next run goes on with the others.
   */
  runOnce(portion?: number): Promise<Next>;
}

export function createKeeper(services: Services): Keeper {
  /** Until when, in ms. */
  const resting = new Map<string, number>();
  const carryOutNext = async (under: { errand: Errand | null }, portion: number): Promise<Next> => {
    const now = services.clock.now();
    for (const [name, until] of resting) if (until <= now.getTime()) resting.delete(name);
    const items = await services.db.write(async ({ em }) => {
      under.errand = await nextErrand(em, now, [...resting.keys()]);
      return under.errand === null ? null : carryOut(em, under.errand, { now, portion });
    });
    if (items === null) return { at: resting.size === 0 ? null : new Date(Math.min(...resting.values())) };
    services.log.debug({ ...named(under.errand), items }, 'what was kept for long enough was taken away');
    return { again: true };
  };
  return {
    runOnce: async (portion = PORTION) => {
      const under: { errand: Errand | null } = { errand: null };
      try {
        return await carryOutNext(under, portion);
      } catch (error) {
        const { errand } = under;
        // That there is no database is no fault of this one.
        if (errand !== null && !(error instanceof DatabaseGone)) {
          resting.set(nameOf(errand), services.clock.now().getTime() + REST_MS);
          services.log.error(
            named(errand),
            'could not take away what was kept for long enough; it is tried again in ten minutes',
          );
        }
        throw error;
      }
    },
  };
}

const named = (errand: Errand | null) => ({ project: errand?.projectId, kind: errand?.kind });

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
