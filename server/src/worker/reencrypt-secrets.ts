// Re-encrypts secrets after a key rotation: batch by batch with the first key, until the old key can be removed (K3).
import { decrypt, encrypt } from '../crypto/key-ring.ts';
import {
  kidsInUse,
  replaceText,
  ENCRYPTED_COLUMNS,
  textsWithOtherKeys,
  type EncryptedColumn,
  type EncryptedText,
} from '../db/encrypted-columns.ts';
import { sourceContext } from '../domain/webhooks/inbound.ts';
import { secretContext } from '../domain/webhooks/signing.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

const BATCH_SIZE = 100;
/** At most this many texts that cannot be decrypted are listed; all of them are counted. */
const MOST_NAMED = 20;

const CONTEXTS = {
  webhook_endpoint: ({ id }: EncryptedText) => secretContext(id),
  inbound_source: sourceContext,
} as const satisfies Record<EncryptedColumn['table'], (text: EncryptedText) => string>;

/** What a text of this column is bound to. */
export const contextOf = ({ table }: EncryptedColumn, text: EncryptedText): string => CONTEXTS[table](text);

type Tools = Pick<Services, 'db' | 'keyRing' | 'log'>;

/** One pass over all encrypted columns. */
interface Pass {
  /** The remaining columns; the first is in progress. */
  columns: EncryptedColumn[];
  after: string | null;
  reencrypted: number;
  stuck: number;
  stuckAt: string[];
}

const newPass = (): Pass => ({ columns: [...ENCRYPTED_COLUMNS], after: null, reencrypted: 0, stuck: 0, stuckAt: [] });

/**
 * Each run processes one batch of a pass. Any number of workers may run it concurrently: a text is replaced only if it
 * is unchanged since it was read.
 */
export function createReencryptor(tools: Tools, batchSize = BATCH_SIZE): { runOnce(): Promise<Next> } {
  let pass = newPass();
  /** The operator was notified that the old keys can be removed. */
  let notified = false;
  return {
    runOnce: async () => {
      const [column] = pass.columns;
      if (column !== undefined) {
        await reencryptBatch(tools, { pass, column, batchSize });
        return { again: true };
      }
      const done = pass;
      pass = newPass();
      notified = await logOutcome(tools, done, notified);
      return {};
    },
  };
}

async function reencryptBatch(
  { db, keyRing, log }: Tools,
  { pass, column, batchSize }: { pass: Pass; column: EncryptedColumn; batchSize: number },
): Promise<void> {
  const asked = { kid: keyRing[0].kid, after: pass.after, limit: batchSize };
  const texts = await db.read((em) => textsWithOtherKeys(em, column, asked));
  const updates = texts.flatMap((text) => {
    const context = contextOf(column, text);
    try {
      return { text, fresh: encrypt(keyRing, decrypt(keyRing, text.encrypted, context), context) };
    } catch {
      pass.stuck += 1;
      if (pass.stuckAt.length < MOST_NAMED) pass.stuckAt.push(`${column.table}.${column.column} ${text.id}`);
      return [];
    }
  });
  if (updates.length > 0) {
    const replaced = await db.write(({ em }) => Promise.all(updates.map((one) => replaceText(em, column, one))));
    pass.reencrypted += replaced.filter(Boolean).length;
    log.debug({ table: column.table, column: column.column, replaced: replaced.length }, 'secrets re-encrypted');
  }
  const last = texts.at(-1);
  if (texts.length === batchSize && last !== undefined) pass.after = last.id;
  else [pass.columns, pass.after] = [pass.columns.slice(1), null];
}

/** Logs the result of a pass for the operator. Returns whether they were notified that the old keys can be removed. */
async function logOutcome({ db, keyRing, log }: Tools, pass: Pass, notified: boolean): Promise<boolean> {
  const [{ kid }, ...others] = keyRing;
  if (pass.reencrypted > 0) log.info({ kid, count: pass.reencrypted }, 'secrets were re-encrypted with the first key');
  if (pass.stuck > 0) {
    log.warn({ count: pass.stuck, at: pass.stuckAt }, 'encrypted secrets that cannot be decrypted were left unchanged');
    return false;
  }
  const inUse = await db.read(kidsInUse);
  if (inUse.some((used) => used !== kid)) return false;
  if (others.length > 0 && (pass.reencrypted > 0 || !notified)) {
    const unused = others.map((other) => other.kid);
    log.info({ kid, unused }, 'no secret is encrypted with these keys any longer: remove them from SECRET_KEYS');
  }
  return true;
}
