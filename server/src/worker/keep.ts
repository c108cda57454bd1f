// Takes away what was kept for as long as an owner said (KE), a portion at a time along each ledger: a crash costs a portion.
import { Refusal } from '@countersign/shared/errors';
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
  /** Carries out one portion of one kind of one project. Several workers may run it at once: of one errand one has the next portion. */
  runOnce(portion?: number): Promise<Next>;
}

export function createKeeper(services: Services): Keeper {
  /** Until when, in ms. */
  const resting = new Map<string, number>();
  return {
    runOnce: async (portion = PORTION) => {
      const now = services.clock.now();
      for (const [errand, until] of resting) if (until <= now.getTime()) resting.delete(errand);
      let errand: Errand | null = null;
      try {
        const items = await services.db.write(async ({ em }) => {
          errand = await nextErrand(em, now, [...resting.keys()]);
          return errand === null ? null : carryOut(em, errand, { now, portion });
        });
        if (items === null) return { again: false };
        services.log.debug({ ...named(errand), items }, 'what was kept for long enough was taken away');
      } catch (error) {
        // What is in the way of everything is no fault of this one.
        if (errand === null || error instanceof Refusal) throw error;
        resting.set(nameOf(errand), now.getTime() + REST_MS);
        services.log.error({ err: error, ...named(errand) }, 'could not take away what was kept for long enough');
      }
      return { again: true };
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
