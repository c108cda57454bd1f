// How a database URL is interpreted, and what is refused before connecting.
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

describe('DB3: host, user and database', () => {
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
  ])('reads host, user and database of %s', (url, place) => {
    for (const config of configs(url)) expect(config).toMatchObject(place);
    const { host, port, database } = configs(url)[0] ?? {};
    expect(readDatabaseUrl(url)[0]).toMatchObject({ host, port, database });
  });

  it('libpq variables supply what the URL omits', () => {
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

describe('DB3: an unsupported environment variable is refused by name', () => {
  const read = (variables: NodeJS.ProcessEnv) => () => readDatabaseUrl('postgres://u:s3cret@db/x', variables);

  it.each([
    ...['PGSSLCRL', 'PGSSLCRLDIR', 'PGSSLMINPROTOCOLVERSION', 'PGSSLMAXPROTOCOLVERSION', 'PGSSLSNI', 'PGSSLCERTMODE'],
    ...['PGSSLANYTHING', 'PGREQUIRESSL', 'PGREQUIREAUTH', 'PGREQUIREPEER', 'PGHOSTADDR', 'PGSERVICE'],
    ...['PGLOADBALANCEHOSTS', 'PGMINPROTOCOLVERSION', 'PGMAXPROTOCOLVERSION'],
    ...['PGKRBSRVNAME', 'PGGSSLIB', 'PGGSSDELEGATION', 'PGREPLICATION', 'PGBINARY'],
  ])('refuses the environment variable %s by name', (name) => {
    expect(read({ [name]: 'of-theirs' })).toThrow(new RegExp(`^the environment variable ${name} .* unset it$`));
    expect(read({ [name]: 'of-theirs' })).not.toThrow(/of-theirs|s3cret/);
    expect(read({ [name]: '' })).not.toThrow();
  });

  it.each<[string, string, RegExp]>([
    [
      'PGTARGETSESSIONATTRS',
      'read-write',
      /^target_session_attrs must be any \(PGTARGETSESSIONATTRS of the environment\)$/,
    ],
    ['PGGSSENCMODE', 'require', /^gssencmode must be disable or prefer \(PGGSSENCMODE of the environment\)$/],
    ['PGSSLROOTCERT', root, /^sslrootcert is ignored with sslmode=prefer.*\(PGSSLROOTCERT of the environment\)$/],
    ['PGSSLMODE', 'no-verify', /^sslmode must be one of .* \(PGSSLMODE of the environment\)$/],
    [
      'PGCONNECT_TIMEOUT',
      'soon',
      /^connect_timeout must be a number of seconds \(PGCONNECT_TIMEOUT of the environment\)$/,
    ],
  ])('refuses %s=%s by name', (name, value, sentence) => {
    expect(read({ [name]: value })).toThrow(sentence);
  });

  it.each([
    ...['PGDATA', 'PGTZ', 'PGDATESTYLE', 'PGGEQO', 'PGCLIENTENCODING', 'PGPASSFILE', 'PGSERVICEFILE', 'PGSYSCONFDIR'],
    ...['PGLOCALEDIR', 'PG_COLOR', 'PGADMIN_LISTEN_PORT', 'PGBACKREST_STANZA'],
  ])('%s does not affect the connection, or the driver supports it', (name) => {
    expect(read({ [name]: 'of-theirs' })).not.toThrow();
  });
});

describe('DB3: sslmode has the same meaning as in libpq', () => {
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
  ])('reads %s as libpq does', (query, candidates) => {
    expect(tlsOf(query)).toEqual(candidates);
  });

  it.each(['verify-ca', 'require'])('%s with a root certificate verifies the issuer but not the host name', (mode) => {
    const [tls] = tlsOf(`sslmode=${mode}&sslrootcert=${root}`);
    expect(tls).toMatchObject({ ...verified, ca: 'the root', checkServerIdentity: expect.any(Function) as unknown });
  });

  it('a Unix socket has no TLS, as in libpq', () => {
    const inFolder = configs('postgres://u@/x?host=/run/postgresql&sslmode=require&sslnegotiation=direct');
    expect(inFolder).toMatchObject([{ ssl: false, sslnegotiation: 'postgres' }]);
  });

  it('every use gets the complete configuration, also when the driver hides the key of an earlier one', () => {
    const [candidate] = readDatabaseUrl(`postgres://u@db/x?sslmode=require&sslcert=${certificate}&sslkey=${key}`);
    for (const _ of [1, 2]) {
      const config = candidate.config();
      expect(Object.keys(config.ssl as object)).toContain('key');
      void new pg.Client(config);
    }
  });
});

describe('DB3: the other query parameters reach the driver', () => {
  it.each<[string, object]>([
    ['application_name=review', { application_name: 'review' }],
    ['', { fallback_application_name: 'countersign', connectionTimeoutMillis: 5000, sslnegotiation: 'postgres' }],
    ['options=-c%20search_path%3Dapp', { options: '-c search_path=app' }],
    ['connect_timeout=10', { connectionTimeoutMillis: 10_000 }],
    ['keepalives=1&keepalives_idle=30', { keepAlive: true, keepAliveInitialDelayMillis: 30_000 }],
    ['channel_binding=prefer', { enableChannelBinding: true }],
    ['sslmode=require&sslnegotiation=direct', { sslnegotiation: 'direct' }],
    ['client_encoding=utf-8&gssencmode=disable&target_session_attrs=any&uselibpqcompat=true', {}],
  ])('passes %s to the driver', (query, config) => {
    expect(configs(`postgres://u:p@db/x?${query}`)[0]).toMatchObject(config);
  });
});

describe('DB3: an unknown parameter is refused by name', () => {
  it.each<[string, RegExp]>([
    ['schema=app', /^the parameter schema is not supported/],
    ['sslmode=require&statement_timeout=5', /^the parameter statement_timeout is not supported/],
    ['SSLMODE=require', /^it cannot be read; write /],
    [`${'x'.repeat(41)}=1`, /^it cannot be read; write /],
    ['application_name=team#1&sslmode=verify-full', /^it cannot be read; write /],
    ['sslmode=verify-full#', /^it cannot be read; write /],
    ['sslmode=verify-full&ssl=true', /^the parameter sslmode is set twice, with different values \(ssl=true is sslm/],
    ['ssl=true&sslmode=disable', /^the parameter sslmode is set twice/],
    ['sslmode=verify-full&sslmode=disable', /^the parameter sslmode is set twice/],
    ['password=s3cret&password=s3cret2', /^the parameter password is set twice, with different values$/],
    ['application_name=a&application_name=b', /^the parameter application_name is set twice/],
    ['ssl=no-verify', /^the parameter ssl is not supported/],
    ['hostaddr=10.0.0.1', /^the parameter hostaddr is not supported/],
    ['sslmode=no-verify', /^sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full$/],
    ['sslmode=', /^sslmode must be one of/],
    ['sslmode=constructor', /^sslmode must be one of/],
    ['sslmode=verify-ca', /^sslmode=verify-ca requires sslrootcert$/],
    [
      'sslmode=require&sslrootcert=/nowhere',
      /^sslrootcert must be a file that this process can read; \/nowhere is not$/,
    ],
    [`sslrootcert=${root}`, /^sslrootcert is ignored with sslmode=prefer: set sslmode=verify-full$/],
    ...['disable', 'allow', 'prefer'].map((mode): [string, RegExp] => [
      `sslmode=${mode}&sslrootcert=${root}`,
      new RegExp(`^sslrootcert is ignored with sslmode=${mode}: set sslmode=verify-full$`),
    ]),
    [`sslmode=disable&sslcert=${certificate}&sslkey=${key}`, /^sslcert is ignored with sslmode=disable/],
    [`sslmode=disable&sslkey=${key}`, /^sslkey is ignored with sslmode=disable/],
    ['sslmode=disable&sslpassword=s3cret', /^sslpassword is ignored with sslmode=disable/],
    [`sslmode=require&sslcert=${certificate}`, /^sslcert and sslkey must be set together/],
    ['sslmode=require&sslrootcert=system', /^sslrootcert=system requires sslmode=verify-full$/],
    ['sslnegotiation=direct', /^sslnegotiation=direct requires sslmode=require/],
    ['sslmode=require&sslnegotiation=now', /^sslnegotiation must be postgres or direct$/],
    ['channel_binding=require', /^channel_binding must be disable or prefer$/],
    ['target_session_attrs=read-write', /^target_session_attrs must be any$/],
    ['client_encoding=latin1', /^client_encoding must be UTF8 or AUTO$/],
    ['connect_timeout=soon', /^connect_timeout must be a number of seconds$/],
    ['port=0', /^port must be a number from 1 to 65535$/],
    ['host=a,b', /^only one host is supported$/],
    ['options=-c%20DateStyle%3DGerman', /^options sets DateStyle, which Countersign sets itself/],
    ['options=--statement-timeout%3D5', /^options sets statement_timeout, which Countersign sets itself/],
  ])('refuses %s by name', (query, sentence) => {
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
  ])('the error for %s contains no part of the password', (url) => {
    expect(() => readDatabaseUrl(url)).toThrow(/^it cannot be read; write characters such as/);
    expect(() => readDatabaseUrl(url)).not.toThrow(/s3|cret|more|app/);
  });
});

describe('DB2: the initial statements of a session', () => {
  it('leave the search path to a URL that sets one', () => {
    const [candidate] = readDatabaseUrl('postgres://u@db/x?options=-c%20search_path%3Dapp');
    expect(candidate.settings).not.toContain('search_path');
    expect(sessionSettings([])).toContain('set search_path = "$user", public');
  });
});
