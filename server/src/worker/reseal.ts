// The key ring turns: what an old key sealed is sealed anew with the first one, a portion at a time, until the old key may go (K3).
import { open, seal } from '../crypto/key-ring.ts';
import { kidsInUse, replaceText, SEALED_COLUMNS, textsUnderOthers } from '../db/sealed-texts.ts';
import type { SealedColumn, SealedText } from '../db/sealed-texts.ts';
import { sourceContext } from '../domain/inbound.ts';
import { secretContext } from '../domain/webhook-secrets.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

const PORTION = 100;
/** So many texts that do not open are named; all of them are counted. */
const MOST_NAMED = 20;

const CONTEXTS = {
  webhook_endpoint: ({ projectId }: SealedText) => secretContext(projectId),
  inbound_source: sourceContext,
} as const satisfies Record<SealedColumn['table'], (text: SealedText) => string>;

type Tools = Pick<Services, 'db' | 'keyRing' | 'log'>;

/** One pass over everything that is sealed. */
interface Round {
  /** The columns still to go through; the first is under way. */
  columns: SealedColumn[];
  after: string | null;
  resealed: number;
  stuck: number;
  stuckAt: string[];
}

const newRound = (): Round => ({ columns: [...SEALED_COLUMNS], after: null, resealed: 0, stuck: 0, stuckAt: [] });

/** Each run takes one portion of a round. Any number of workers may do so at once: a text is replaced only while it is what was read. */
export function createResealer(tools: Tools, portion = PORTION): { runOnce(): Promise<Next> } {
  let round = newRound();
  /** The operator was told that the old keys may go. */
  let told = false;
  return {
    runOnce: async () => {
      const [column] = round.columns;
      if (column !== undefined) {
        await resealPortion(tools, { round, column, portion });
        return { again: true };
      }
      const done = round;
      round = newRound();
      told = await tell(tools, done, told);
      return {};
    },
  };
}

async function resealPortion(
  { db, keyRing, log }: Tools,
  { round, column, portion }: { round: Round; column: SealedColumn; portion: number },
): Promise<void> {
  const asked = { kid: keyRing[0].kid, after: round.after, limit: portion };
  const texts = await db.read((em) => textsUnderOthers(em, column, asked));
  const anew = texts.flatMap((text) => {
    const context = CONTEXTS[column.table](text);
    try {
      return { text, fresh: seal(keyRing, open(keyRing, text.sealed, context), context) };
    } catch {
      round.stuck += 1;
      if (round.stuckAt.length < MOST_NAMED) round.stuckAt.push(`${column.table}.${column.column} ${text.id}`);
      return [];
    }
  });
  if (anew.length > 0) {
    const replaced = await db.write(({ em }) => Promise.all(anew.map((one) => replaceText(em, column, one))));
    round.resealed += replaced.filter(Boolean).length;
    log.debug({ table: column.table, column: column.column, replaced: replaced.length }, 'secrets sealed anew');
  }
  const last = texts.at(-1);
  if (texts.length === portion && last !== undefined) round.after = last.id;
  else [round.columns, round.after] = [round.columns.slice(1), null];
}

/** What the operator should know of a round. Answers whether they know that the old keys may go. */
async function tell({ db, keyRing, log }: Tools, round: Round, told: boolean): Promise<boolean> {
  const [{ kid }, ...others] = keyRing;
  if (round.resealed > 0) log.info({ kid, count: round.resealed }, 'secrets were sealed anew with the first key');
  if (round.stuck > 0) {
    log.warn({ count: round.stuck, at: round.stuckAt }, 'sealed secrets that do not open stay as they are');
    return false;
  }
  const inUse = await db.read(kidsInUse);
  if (inUse.some((used) => used !== kid)) return false;
  if (others.length > 0 && (round.resealed > 0 || !told)) {
    const unused = others.map((other) => other.kid);
    log.info({ kid, unused }, 'nothing is sealed with these keys any more: they may go from SECRET_KEYS');
  }
  return true;
}
