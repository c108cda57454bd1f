// Whether the secrets in the database can be decrypted with a key ring (K3).
import { decrypt } from './crypto/key-ring.ts';
import { ENCRYPTED_COLUMNS, kidsInUse, textsWithKey } from './db/encrypted-columns.ts';
import type { Em } from './db/orm.ts';
import type { Services } from './usecases/services.ts';
import { contextOf } from './worker/reencrypt-secrets.ts';

/** How many texts of each column are tried: one that opens proves the key, and a damaged one must not stop the service. */
const TRIED = 5;

/**
 * What is wrong with the key ring, as a sentence, or null. Secrets encrypted with a missing key cannot be decrypted, nor those
 * with another key of the same ID: a start is refused instead of failing delivery by delivery.
 */
export async function keyFaultOf({ db, keyRing }: Pick<Services, 'db' | 'keyRing'>): Promise<string | null> {
  const inUse = await db.read(kidsInUse);
  const missing = inUse.filter((kid) => !keyRing.some((entry) => entry.kid === kid));
  if (missing.length > 0)
    return `SECRET_KEYS has no key ${missing.join(', ')}, which secrets in the database are encrypted with: put it back.`;
  for (const kid of inUse) {
    if (!(await db.read((em) => opensSome(em, kid, keyRing))))
      return `The key ${kid} of SECRET_KEYS is another one than the key that secrets in the database are encrypted with: put that one back.`;
  }
  return null;
}

async function opensSome(em: Em, kid: string, keyRing: Services['keyRing']): Promise<boolean> {
  for (const column of ENCRYPTED_COLUMNS) {
    const texts = await textsWithKey(em, column, { kid, limit: TRIED });
    const isOpen = texts.some((text) => {
      try {
        decrypt(keyRing, text.encrypted, contextOf(column, text));
        return true;
      } catch {
        return false;
      }
    });
    if (isOpen) return true;
  }
  return false;
}
