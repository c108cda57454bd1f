// The variables of the environment by which libpq connects: some fill in what the address leaves out, the others are refused.
import { DatabaseUrlError } from './database-url-error.ts';

/** The parameters they stand for. */
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
 * What else decides where, how and with whom libpq, or the driver by itself, connects: whoever set it would believe that it holds.
 * Settings of a session are told anyway (DB2), and PGPASSFILE is heeded by the driver.
 */
const IGNORED_VARIABLES = new RegExp(
  `^(${[
    ...['PGSSL\\w*', 'PGREQUIRESSL', 'PGREQUIREAUTH', 'PGREQUIREPEER', 'PGHOSTADDR', 'PGSERVICE'],
    ...['PGLOADBALANCEHOSTS', 'PGMINPROTOCOLVERSION', 'PGMAXPROTOCOLVERSION'],
    ...['PGKRBSRVNAME', 'PGGSSLIB', 'PGGSSDELEGATION', 'PGREPLICATION', 'PGBINARY'],
  ].join('|')})$`,
);

/** The parameters that the environment gives. Errors: `DatabaseUrlError`, for a variable that would not be heeded. */
export function parametersFromEnvironment(variables: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(variables).filter(([, value]) => value !== undefined && value !== '');
  const refused = given.find(([variable]) => !Object.hasOwn(VARIABLES, variable) && IGNORED_VARIABLES.test(variable));
  if (refused !== undefined)
    throw new DatabaseUrlError(
      `the variable ${refused[0]} of the environment counts for libpq, and would not count here: unset it`,
    );
  return Object.fromEntries(
    given.flatMap(([variable, value = '']) => {
      const parameter = VARIABLES[variable];
      return parameter === undefined ? [] : [[parameter, value]];
    }),
  );
}

/** The variables by which one of these parameters was given that the sentence names. */
export const variablesNamedIn = (sentence: string, parameters: readonly string[]): string[] =>
  Object.entries(VARIABLES)
    .filter(([, parameter]) => parameters.includes(parameter) && new RegExp(`\\b${parameter}\\b`).test(sentence))
    .map(([variable]) => variable);
