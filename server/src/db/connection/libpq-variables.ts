// The environment variables of libpq: some supply what the URL omits, the others are refused.
import { DatabaseUrlError } from './database-url-error.ts';

/** The corresponding parameters. */
const VARIABLES: Readonly<Record<string, string>> = {
  PGHOST: 'host',
  PGPORT: 'port',
  PGUSER: 'user',
  PGPASSWORD: 'password',
  PGDATABASE: 'dbname',
  PGSSLMODE: 'sslmode',
  PGSSLROOTCERT: 'sslrootcert',
  PGSSLCERT: 'sslcert',
  PGSSLKEY: 'sslkey',
  PGSSLNEGOTIATION: 'sslnegotiation',
  PGCHANNELBINDING: 'channel_binding',
  PGAPPNAME: 'application_name',
  PGOPTIONS: 'options',
  PGCONNECT_TIMEOUT: 'connect_timeout',
  PGGSSENCMODE: 'gssencmode',
  PGTARGETSESSIONATTRS: 'target_session_attrs',
};

/**
 * Other variables that decide where, how and as whom libpq or the driver connects: an operator who sets one would
 * believe that it applies. Session settings are always applied (DB2), and the driver supports PGPASSFILE.
 */
const IGNORED_VARIABLES = new RegExp(
  `^(${[
    ...['PGSSL\\w*', 'PGREQUIRESSL', 'PGREQUIREAUTH', 'PGREQUIREPEER', 'PGHOSTADDR', 'PGSERVICE'],
    ...['PGLOADBALANCEHOSTS', 'PGMINPROTOCOLVERSION', 'PGMAXPROTOCOLVERSION'],
    ...['PGKRBSRVNAME', 'PGGSSLIB', 'PGGSSDELEGATION', 'PGREPLICATION', 'PGBINARY'],
  ].join('|')})$`,
);

/** The parameters from the environment. Errors: `DatabaseUrlError` for a variable that would be ignored. */
export function parametersFromEnvironment(variables: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  const refused = given.find(([variable]) => !Object.hasOwn(VARIABLES, variable) && IGNORED_VARIABLES.test(variable));
  if (refused !== undefined)
    throw new DatabaseUrlError(
      `the environment variable ${refused[0]} applies to libpq but is not supported here: unset it`,
    );
  return Object.fromEntries(
    given.flatMap(([variable, value = '']) => {
      const parameter = VARIABLES[variable];
      return parameter === undefined ? [] : [[parameter, value]];
    }),
  );
}

/** The variables that set the parameters named in the sentence. */
export const variablesNamedIn = (sentence: string, parameters: readonly string[]): string[] =>
  Object.entries(VARIABLES)
    .filter(([, parameter]) => parameters.includes(parameter) && new RegExp(`\\b${parameter}\\b`).test(sentence))
    .map(([variable]) => variable);
