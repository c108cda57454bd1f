// What every change of the schema does that runs beside a service at work: it never makes others wait for long.
import { Migration } from '@mikro-orm/migrations';

/**
 * A change that cannot get its lock within this time gives up, and is tried again (`migrate`): whoever asks for the same table
 * meanwhile stands behind it in the line.
 */
const GIVE_UP = `set local lock_timeout = '2s'`;

/** One step; see `migrations.test.ts` for what the version before survives. */
export abstract class SchemaChange extends Migration {
  /** A step that is no transaction asks for no lock that others wait for. */
  override getQueries(): ReturnType<Migration['getQueries']> {
    return this.isTransactional() ? [GIVE_UP, ...super.getQueries()] : super.getQueries();
  }
}
