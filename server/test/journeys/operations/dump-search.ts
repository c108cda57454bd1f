// Searches a database dump for secrets: as text, and in every encoding of bytes that a column might have.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type TestEnvironment } from '../../test-environment.ts';

export interface Secret {
  kind: string;
  text: string;
}

const TABLES = `select format('select %L as "table", t::text as row from %I.%I t', table_name, table_schema, table_name) as query
  from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

/** Every row of every table, as text. */
export async function readAllTables(testEnv: TestEnvironment): Promise<string> {
  const queries = await testEnv.sql<{ query: string }>(TABLES);
  const rows = await testEnv.sql<{ table: string; row: string }>(queries.map(({ query }) => query).join(' union all '));
  return rows.map(({ table, row }) => `${table} ${row}`).join('\n');
}

const MOST_BYTES = 256 * 1024 * 1024;

/** The output of pg_dump, or null where there is none, or none as new as the server. */
export async function pgDump(testEnv: TestEnvironment): Promise<string | null> {
  const [row] = await testEnv.sql<{ name: string }>('select current_database() as name');
  const url = Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), { pathname: `/${row?.name}` }).href;
  const run = promisify(execFile);
  return run('pg_dump', ['--dbname', url], { maxBuffer: MOST_BYTES }).then(
    ({ stdout }) => stdout,
    (error: unknown) => {
      // Debian has a pg_dump that only looks for the real one, and may find none.
      const missing = /server version mismatch|is not installed|must install/.test(String(error));
      if ((error as { code?: unknown }).code === 'ENOENT' || missing) return null;
      throw error;
    },
  );
}

/** The kinds of secrets that are in the text, in any spelling. */
export function secretsIn(dump: string, secrets: readonly Secret[]): string[] {
  const small = dump.toLowerCase();
  const kinds = secrets.filter(({ text }) =>
    partsOf(text).some((part) =>
      spellingsOf(part).some((spelled) => dump.includes(spelled) || small.includes(spelled)),
    ),
  );
  return [...new Set(kinds.map(({ kind }) => kind))].sort();
}

/** The secret part of a secret: without the id in front of a session's, and without a common prefix. */
function partsOf(text: string): string[] {
  const secret = text.split('.').at(-1)?.split(':').at(-1) ?? text;
  return [...new Set([text, secret, secret.replace(/^(?:whsec_|csk_)/, '')])].filter((part) => part.length >= 20);
}

/** The text, and the bytes it encodes if it is base64: plain, URL-encoded, in hex, in base64 of both alphabets. */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const decoded = /^[\w+/=-]+$/.test(text) ? Buffer.from(text, 'base64') : bytes;
  const spelled = [bytes, decoded].flatMap((each) => [each.toString('hex'), ...base64sOf(each)]);
  return [...new Set([text, encodeURIComponent(text), ...spelled, ...spelled.map(encodeURIComponent)])];
}

/** Base64 of bytes wherever they begin in what was encoded: three shifts, without the digits that depend on the neighbours. */
function base64sOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const own = whole.slice(Math.ceil((shift * 8) / 6), -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
