// Tests a PostgreSQL that requires TLS: every connection of the service and its commands is encrypted (DB3).
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';
import { type OwnPostgres, startPostgres } from '../../../../scripts/lib/processes/services.ts';
import { chooseConnection } from '../../../src/db/connection/connect.ts';
import { readDatabaseUrl } from '../../../src/db/connection/database-url.ts';
import { chooseIdentity } from '../../../src/embedded/identity.ts';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { startReceiver } from '../../receiver.ts';
import { expectInvariants } from '../../run-script.ts';
import { startTestEnvironment, type TestEnvironment } from '../../test-environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-tls-'));
const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Self-signed, for `localhost` alone; the service also presents it as its client certificate. */
function makeCertificate(): void {
  const subject = ['-subj', '/CN=service', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...curve, ...subject, ...files], { stdio: 'ignore' });
  // PostgreSQL requires to own its key.
  const { owner } = chooseIdentity(undefined);
  if (owner !== undefined) for (const path of [folder, key, certificate]) chownSync(path, owner.uid, owner.gid);
}

describe.skipIf(!hasOpenssl)('DB3: a server that requires TLS', () => {
  let postgres: OwnPostgres;
  let testEnv: TestEnvironment | undefined;

  beforeAll(async () => {
    makeCertificate();
    postgres = await startPostgres({
      fsync: false,
      settings: { ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key, ssl_ca_file: certificate },
      hba: 'hostssl all service 127.0.0.1/32 scram-sha-256 clientcert=verify-ca\nhost all service all reject\n',
    });
    const admin = await connectTo(postgres.url);
    await admin.query(`create role service login password 'p%#'`);
    await admin.query('create database service owner service');
    await admin.end();
  });
  afterAll(async () => {
    await testEnv?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  const urlOf = (host: string, query: string): string => {
    const { port } = new URL(postgres.url);
    return `postgres://service:p%25%23@${host}:${port}/service?${query}`;
  };
  const identity = () => `sslcert=${certificate}&sslkey=${key}`;
  const full = () => urlOf('localhost', `sslmode=verify-full&sslrootcert=${certificate}&${identity()}`);

  it.each([
    ['prefer', 'localhost', '', false],
    ['require', '127.0.0.1', '', false],
    ['allow', '127.0.0.1', '', false],
    ['require', '127.0.0.1', 'root', true],
    ['verify-ca', '127.0.0.1', 'root', true],
    ['verify-full', 'localhost', 'root', true],
  ])('sslmode=%s at %s, with %s, is encrypted; verified: %s', async (mode, host, root, verified) => {
    const query = `sslmode=${mode}&${identity()}${root === '' ? '' : `&sslrootcert=${certificate}`}`;
    const { encryption } = await chooseConnection(readDatabaseUrl(urlOf(host, query)));
    expect(encryption).toMatchObject({
      encrypted: true,
      verified,
      tls: expect.stringMatching(/^TLSv1\.[23]$/) as string,
    });
  });

  it.each([
    ['disable', 'localhost', '', /pg_hba|reject/],
    ['verify-full', '127.0.0.1', 'root', /altnames|does not match/i],
    ['verify-full', 'localhost', '', /self-signed/],
    ['verify-ca', 'localhost', 'another root', /self-signed|unable to verify|signature/i],
  ])('sslmode=%s at %s, with %s: refused', async (mode, host, root, why) => {
    const another = join(folder, 'another.pem');
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=service', '-keyout', '/dev/null'];
    execFileSync('openssl', [...made, '-out', another], { stdio: 'ignore' });
    const path = { root: certificate, 'another root': another }[root];
    const shown = mode === 'disable' ? '' : `&${identity()}`;
    const query = `sslmode=${mode}${shown}${path === undefined ? '' : `&sslrootcert=${path}`}`;
    await expect(chooseConnection(readDatabaseUrl(urlOf(host, query)))).rejects.toThrow(why);
  });

  it('the service, from the first migration to a delivery, and a command: no connection without TLS', async () => {
    testEnv = await startTestEnvironment({ empty: true, processes: 1, env: { DATABASE_URL: full() } });
    expect(testEnv.log()).toMatch(
      /"encrypted":true,"verified":true,"tls":"TLSv1\.3","cipher":"TLS_\w+","msg":"connections to PostgreSQL are encrypted, and its certificate is verified"/,
    );
    const receiver = await startReceiver();
    const owner = await person(testEnv);
    const project = await openProject(owner, { receiver });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    await receiver.close();
    await expectInvariants({ ...testEnv.env });
    const admin = await connectTo(postgres.url);
    const { rows } = await admin.query<{ ssl: boolean; n: number }>(
      `select ssl, count(*)::int as n from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'service' group by ssl`,
    );
    await admin.end();
    expect(rows).toEqual([{ ssl: true, n: expect.any(Number) as number }]);
    expect(rows[0]?.n).toBeGreaterThanOrEqual(2);
  });
});

describe('DB3: a server without TLS', () => {
  it('is refused where TLS is required, and reported where it is not', async () => {
    const at = (mode: string) => `${process.env.TEST_POSTGRES_URL}?sslmode=${mode}`;
    for (const mode of ['require', 'verify-full'])
      await expect(chooseConnection(readDatabaseUrl(at(mode)))).rejects.toThrow('does not support SSL');
    for (const mode of ['disable', 'allow', 'prefer'])
      expect((await chooseConnection(readDatabaseUrl(at(mode)))).encryption).toEqual({ encrypted: false });
    const server = startTestEnvironment({
      empty: true,
      processes: 1,
      env: { DATABASE_URL: at('require&sslrootcrt=x') },
    });
    await expect(server).rejects.toThrow(/DATABASE_URL cannot be used: the parameter sslrootcrt is not supported/);
  });
});
