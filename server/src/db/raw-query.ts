// Runs SQL with real parameters, because the ORM's `execute` inlines values into the text.
import { CompiledQuery } from 'kysely';
import type { Em } from './orm.ts';

/**
 * Runs one statement with `$1`, `$2`, … on the connection of this em's transaction, or on any connection outside of
 * one. Same failures as `em.execute`.
 */
export async function rawQuery<Row>(em: Em, text: string, parameters: readonly unknown[]): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...parameters]));
  return rows as Row[];
}
