// What an address of PostgreSQL means, and what is refused before anything connects.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readDatabaseUrl } from './database-url.ts';
import { sessionSettings } from './session-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-url-'));
const file = (name: string): string => {
  writeFileSync(join(folder, name), `the ${name}`);
  return join(folder, name);
};
const [root, certificate, key] = [file('root'), file('certificate'), file('key')];

const configs = (url: string, variables?: NodeJS.ProcessEnv) =>
  readDatabaseUrl(url, variables).map((candidate) => candidate.config());
const tlsOf = (query: string) => configs(`postgres://u:p@db/x?${query}`).map(({ ssl }) => ssl);

describe('DB3: where, as whom and which database', () => {
  const usual = { host: 'db', port: 5432, user: 'u', password: 'p', database: 'x' };

  it.each<[string, object]>([
    ['postgres://u:p@db/x', usual],
    ['postgresql://u:p@db:6543/x', { ...usual, port: 6543 }],
    ['postgres://u:p%23%2F%40@db/x', { ...usual, password: 'p#/@' }],
    ['postgres://u:p@[::1]:6000/x', { ...usual, host: '::1', port: 6000 }],
    ['postgres://u:p@db', { ...usual, database: 'u' }],
    ['postgres://u:p@/x?host=/run/postgresql', { ...usual, host: '/run/postgresql' }],
    ['postgres://u:p@%2Frun%2Fpostgresql/x', { ...usual, host: '/run/postgresql' }],
    ['postgres:///x?host=db&port=5433&user=u&password=p', { ...usual, port: 5433 }],
    ['postgres://other@elsewhere/x?host=db&user=u&password=p', usual],
    ['postgres://u:p@db?dbname=x', usual],
  ])('%s', (url, place) => {
    for (const config of configs(url)) expect(config).toMatchObject(place);
    const { host, port, database } = configs(url)[0] ?? {};
    expect(readDatabaseUrl(url)[0]).toMatchObject({ host, port, database });
  });

  it('the variables of libpq fill in what the address leaves out', () => {
    const variables = {
      PGHOST: 'db',
      PGPORT: '1',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'x',
      PGSSLMODE: 'disable',
    };
    expect(configs('postgres://', variables)).toMatchObject([{ ...usual, port: 1, ssl: false }]);
    expect(configs('postgres://a:b@c:2/d?sslmode=require', variables)).toMatchObject([
      { host: 'c', port: 2, user: 'a', password: 'b', database: 'd', ssl: { rejectUnauthorized: false } },
    ]);
    expect(configs('postgres://u:p@db/x', { PGCONNECT_TIMEOUT: '7', PGGSSENCMODE: 'disable' })[0]).toMatchObject({
      connectionTimeoutMillis: 7000,
    });
  });
});

describe('DB3: a variable of the environment that is not heeded is refused by name', () => {
  const read = (variables: NodeJS.ProcessEnv) => () => readDatabaseUrl('postgres://u:s3cret@db/x', variables);

  it.each([
    ...['PGSSLCRL', 'PGSSLCRLDIR', 'PGSSLMINPROTOCOLVERSION', 'PGSSLMAXPROTOCOLVERSION', 'PGSSLSNI', 'PGSSLCERTMODE'],
    ...['PGSSLANYTHING', 'PGREQUIRESSL', 'PGREQUIREAUTH', 'PGREQUIREPEER', 'PGHOSTADDR', 'PGSERVICE'],
    ...['PGLOADBALANCEHOSTS', 'PGMINPROTOCOLVERSION', 'PGMAXPROTOCOLVERSION'],
    ...['PGKRBSRVNAME', 'PGGSSLIB', 'PGGSSDELEGATION', 'PGREPLICATION', 'PGBINARY'],
  ])('%s', (name) => {
    expect(read({ [name]: 'of-theirs' })).toThrow(new RegExp(`^the variable ${name} of the environment .* unset it$`));
    expect(read({ [name]: 'of-theirs' })).not.toThrow(/of-theirs|s3cret/);
    expect(read({ [name]: '' })).not.toThrow();
  });

  it.each<[string, string, RegExp]>([
    [
      'PGTARGETSESSIONATTRS',
      'read-write',
      /^target_session_attrs takes any \(PGTARGETSESSIONATTRS of the environment\)$/,
    ],
    ['PGGSSENCMODE', 'require', /^gssencmode takes disable or prefer \(PGGSSENCMODE of the environment\)$/],
    ['PGSSLROOTCERT', root, /^sslrootcert is not heeded with sslmode=prefer.*\(PGSSLROOTCERT of the environment\)$/],
    ['PGSSLMODE', 'no-verify', /^sslmode takes one of .* \(PGSSLMODE of the environment\)$/],
    [
      'PGCONNECT_TIMEOUT',
      'soon',
      /^connect_timeout takes a number of seconds \(PGCONNECT_TIMEOUT of the environment\)$/,
    ],
  ])('%s=%s', (name, value, sentence) => {
    expect(read({ [name]: value })).toThrow(sentence);
  });

  it.each([
    ...['PGDATA', 'PGTZ', 'PGDATESTYLE', 'PGGEQO', 'PGCLIENTENCODING', 'PGPASSFILE', 'PGSERVICEFILE', 'PGSYSCONFDIR'],
    ...['PGLOCALEDIR', 'PG_COLOR', 'PGADMIN_LISTEN_PORT', 'PGBACKREST_STANZA'],
  ])('%s is not about the connection, or is heeded by the driver', (name) => {
    expect(read({ [name]: 'of-theirs' })).not.toThrow();
  });
});

describe('DB3: sslmode means what libpq means by it', () => {
  const unverified = { rejectUnauthorized: false };
  const verified = { rejectUnauthorized: true };

  it.each<[string, unknown[]]>([
    ['', [unverified, false]],
    ['sslmode=disable', [false]],
    ['sslmode=allow', [false, unverified]],
    ['sslmode=prefer', [unverified, false]],
    ['sslmode=require', [unverified]],
    ['ssl=true', [unverified]],
    ['ssl=true&sslmode=require&sslmode=require', [unverified]],
    ['sslmode=verify-full', [verified]],
    ['sslmode=verify-full&sslrootcert=system', [verified]],
    [`sslmode=verify-full&sslrootcert=${root}`, [{ ...verified, ca: 'the root' }]],
    [
      `sslmode=require&sslcert=${certificate}&sslkey=${key}&sslpassword=word`,
      [{ ...unverified, cert: 'the certificate', key: 'the key', passphrase: 'word' }],
    ],
  ])('%s', (query, candidates) => {
    expect(tlsOf(query)).toEqual(candidates);
  });

  it.each(['verify-ca', 'require'])('%s with a root certificate checks who signed, and not for which name', (mode) => {
    const [tls] = tlsOf(`sslmode=${mode}&sslrootcert=${root}`);
    expect(tls).toMatchObject({ ...verified, ca: 'the root', checkServerIdentity: expect.any(Function) as unknown });
  });

  it('a socket in a folder has none, as for libpq', () => {
    const inFolder = configs('postgres://u@/x?host=/run/postgresql&sslmode=require&sslnegotiation=direct');
    expect(inFolder).toMatchObject([{ ssl: false, sslnegotiation: 'postgres' }]);
  });

  it('each use gets all of it, also when the driver hides the key of one that was used before', () => {
    const [candidate] = readDatabaseUrl(`postgres://u@db/x?sslmode=require&sslcert=${certificate}&sslkey=${key}`);
    for (const _ of [1, 2]) {
      const config = candidate.config();
      expect(Object.keys(config.ssl as object)).toContain('key');
      void new pg.Client(config);
    }
  });
});

describe('DB3: what else the query says reaches the driver', () => {
  it.each<[string, object]>([
    ['application_name=review', { application_name: 'review' }],
    ['', { fallback_application_name: 'countersign', connectionTimeoutMillis: 5000, sslnegotiation: 'postgres' }],
    ['options=-c%20search_path%3Dapp', { options: '-c search_path=app' }],
    ['connect_timeout=10', { connectionTimeoutMillis: 10_000 }],
    ['keepalives=1&keepalives_idle=30', { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }],
    ['channel_binding=prefer', { enableChannelBinding: true }],
    ['sslmode=require&sslnegotiation=direct', { sslnegotiation: 'direct' }],
    ['client_encoding=utf-8&gssencmode=disable&target_session_attrs=any&uselibpqcompat=true', {}],
  ])('%s', (query, config) => {
    expect(configs(`postgres://u:p@db/x?${query}`)[0]).toMatchObject(config);
  });
});

describe('DB3: what is not understood is refused by name', () => {
  it.each<[string, RegExp]>([
    ['schema=app', /^the parameter schema is not understood/],
    ['sslmode=require&statement_timeout=5', /^the parameter statement_timeout is not understood/],
    ['SSLMODE=require', /^it cannot be read; write /],
    [`${'x'.repeat(41)}=1`, /^it cannot be read; write /],
    ['application_name=team#1&sslmode=verify-full', /^it cannot be read; write /],
    ['sslmode=verify-full#', /^it cannot be read; write /],
    ['sslmode=verify-full&ssl=true', /^the parameter sslmode is given twice, with different values \(ssl=true is sslm/],
    ['ssl=true&sslmode=disable', /^the parameter sslmode is given twice/],
    ['sslmode=verify-full&sslmode=disable', /^the parameter sslmode is given twice/],
    ['password=s3cret&password=s3cret2', /^the parameter password is given twice, with different values$/],
    ['application_name=a&application_name=b', /^the parameter application_name is given twice/],
    ['ssl=no-verify', /^the parameter ssl is not understood/],
    ['hostaddr=10.0.0.1', /^the parameter hostaddr is not understood/],
    ['sslmode=no-verify', /^sslmode takes one of disable, allow, prefer, require, verify-ca, verify-full$/],
    ['sslmode=', /^sslmode takes one of/],
    ['sslmode=constructor', /^sslmode takes one of/],
    ['sslmode=verify-ca', /^sslmode=verify-ca takes sslrootcert$/],
    [
      'sslmode=require&sslrootcert=/nowhere',
      /^sslrootcert takes a file that this process can read; \/nowhere is none$/,
    ],
    [`sslrootcert=${root}`, /^sslrootcert is not heeded with sslmode=prefer: set sslmode=verify-full$/],
    ...['disable', 'allow', 'prefer'].map((mode): [string, RegExp] => [
      `sslmode=${mode}&sslrootcert=${root}`,
      new RegExp(`^sslrootcert is not heeded with sslmode=${mode}: set sslmode=verify-full$`),
    ]),
    [`sslmode=disable&sslcert=${certificate}&sslkey=${key}`, /^sslcert is not heeded with sslmode=disable/],
    [`sslmode=disable&sslkey=${key}`, /^sslkey is not heeded with sslmode=disable/],
    ['sslmode=disable&sslpassword=s3cret', /^sslpassword is not heeded with sslmode=disable/],
    [`sslmode=require&sslcert=${certificate}`, /^sslcert and sslkey are set together/],
    ['sslmode=require&sslrootcert=system', /^sslrootcert=system takes sslmode=verify-full$/],
    ['sslnegotiation=direct', /^sslnegotiation=direct takes sslmode=require/],
    ['sslmode=require&sslnegotiation=now', /^sslnegotiation takes postgres or direct$/],
    ['channel_binding=require', /^channel_binding takes disable or prefer$/],
    ['target_session_attrs=read-write', /^target_session_attrs takes any$/],
    ['client_encoding=latin1', /^client_encoding takes UTF8 or AUTO$/],
    ['connect_timeout=soon', /^connect_timeout takes a number of seconds$/],
    ['port=0', /^port takes a number from 1 to 65535$/],
    ['host=a,b', /^one host is taken, not several$/],
    ['options=-c%20DateStyle%3DGerman', /^options sets DateStyle, which Countersign sets itself/],
    ['options=--statement-timeout%3D5', /^options sets statement_timeout, which Countersign sets itself/],
  ])('%s', (query, sentence) => {
    const read = () => readDatabaseUrl(`postgres://u:s3cret@db/x?${query}`);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(/s3cret/);
  });

  it.each([
    'postgres://u:s3#cret@db/x',
    'postgres://u:s3cret@db:port/x',
    'postgres://app:s3?cret@db.internal/countersign',
    'postgres://app:s3?cret=1@db.internal/countersign',
    'postgres://app:5432?s3cret@db/x',
    'postgres://app:5432?cret=s3@db/x',
    'postgres://app:5432?user=s3@db/x',
    'postgres://app:5432/s3?cret=1@db/x',
    'postgres://app:5432/s3?cret&x@db/x',
    'postgres://app:s3?cret#@db/x',
    'postgres://u:s3@cret?more@db/x',
    'postgres://u:s3@cret?more=1@db/x',
  ])('of %s no part of the password is told', (url) => {
    expect(() => readDatabaseUrl(url)).toThrow(/^it cannot be read; write characters such as/);
    expect(() => readDatabaseUrl(url)).not.toThrow(/s3|cret|more|app/);
  });
});

describe('DB2: the statements that begin a session', () => {
  it('leave the search path to an address that names one', () => {
    const [candidate] = readDatabaseUrl('postgres://u@db/x?options=-c%20search_path%3Dapp');
    expect(candidate.settings).not.toContain('search_path');
    expect(sessionSettings([])).toContain('set search_path = "$user", public');
  });
});
