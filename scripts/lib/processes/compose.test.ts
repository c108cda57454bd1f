// Tests docker-compose.yml without an engine: referenced files exist, and the service accepts its settings.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/src/config.ts';
import { baseImages, environmentOf, imageCommand, readCompose } from './compose.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { services, secrets, volumes, networks } = readCompose();
const APPS = ['server', 'worker'] as const;
const entries = Object.entries(services);

const used = (pick: (name: string) => string[]) => new Set(entries.flatMap(([name]) => pick(name)));

describe('docker-compose.yml', () => {
  it('has servers behind a proxy, workers apart, and both stores', () => {
    expect(Object.keys(services).sort()).toEqual(['postgres', 'proxy', 'redis', 'server', 'worker']);
    expect([services.server?.deploy?.replicas, services.worker?.deploy?.replicas]).toEqual([3, 2]);
  });

  it('mounts and depends on what exists', () => {
    expect(used((name) => services[name]?.secrets ?? [])).toEqual(new Set(Object.keys(secrets)));
    const mounts = [...used((name) => services[name]?.volumes ?? [])].map((text) => text.split(':')[0] ?? '');
    const [files, named] = [
      mounts.filter((from) => from.startsWith('.')),
      mounts.filter((from) => !from.startsWith('.')),
    ];
    expect(named.sort()).toEqual(Object.keys(volumes).sort());
    for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
    for (const other of used((name) => Object.keys(services[name]?.depends_on ?? {})))
      expect(services[other]?.healthcheck, `${other} is waited for by its health`).toBeDefined();
  });

  it.each(APPS)('%s: an ordinary user on a file system that is read only, with every secret from a file', (name) => {
    const service = services[name];
    expect(service?.read_only).toBe(true);
    const environment = environmentOf(service ?? {}, {});
    expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'SECRET_KEYS']));
    const places = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
    for (const [, place] of places) expect(service?.secrets).toContain(place.replace('/run/secrets/', ''));
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(/^USER node$/m);
  });

  it.each(APPS)('%s: the service understands its environment', (name) => {
    const {
      DATABASE_URL_FILE: _,
      SECRET_KEYS_FILE: __,
      REDIS_URL_FILE: ___,
      ...environment
    } = environmentOf(services[name] ?? {}, {});
    const secret = {
      DATABASE_URL: 'postgres://u:p@postgres/c',
      SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    };
    const config = readConfig({ ...environment, ...secret });
    expect([...config.roles]).toEqual([name === 'server' ? 'web' : 'worker']);
    expect(config.webhooks).toMatchObject({ allowHttp: false, allowCidrs: [], proxyUrl: null });
  });

  it.each(APPS)('%s: its health check uses the port that METRICS_PORT opens', (name) => {
    const port = environmentOf(services[name] ?? {}, {}).METRICS_PORT;
    expect(services[name]?.healthcheck?.test.join(' ')).toContain(`127.0.0.1:${port}/readyz`);
  });

  it('fills in variables from the caller’s environment', () => {
    const service = { environment: { A: '${A:-one}', B: '${B}', C: 'x${C:-}y' } };
    expect(environmentOf(service, {})).toEqual({ A: 'one', B: '', C: 'xy' });
    expect(environmentOf(service, { A: '1', B: '2', C: '3' })).toEqual({ A: '1', B: '2', C: 'x3y' });
  });

  it('docker-compose.yml and the image run Node itself, as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
    expect(scripts.start).toContain(imageCommand().join(' '));
  });
});

describe('SU2: docker-compose.yml', () => {
  const FOREIGN = entries.filter(([, { image = '' }]) => image !== 'countersign').map(([name]) => name);

  it('names every image by its digest, and so does the Dockerfile', () => {
    const images = [...FOREIGN.map((name) => services[name]?.image), ...baseImages()];
    expect(images).toHaveLength(5);
    for (const image of images) expect(image).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  it.each(entries.map(([name]) => name))(
    '%s: changes no file of its image, has no capability and gains none',
    (name) => {
      const { read_only, cap_drop, cap_add = [], security_opt } = services[name] ?? {};
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(cap_add).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
    },
  );

  it('lets the proxy reach the servers alone, and only the service reach the stores', () => {
    const meets = (name: string) =>
      entries
        .filter(([, other]) => other.networks?.some((network) => services[name]?.networks?.includes(network)))
        .map(([other]) => other)
        .filter((other) => other !== name)
        .sort();
    expect(meets('proxy')).toEqual(['server']);
    for (const store of ['postgres', 'redis'])
      expect(meets(store)).toEqual(['postgres', 'redis', 'server', 'worker'].filter((name) => name !== store));
    const isClosed = (name: string) =>
      services[name]?.networks?.every((network) => networks[network]?.internal === true);
    expect(
      entries
        .map(([name]) => name)
        .filter(isClosed)
        .sort(),
    ).toEqual(['postgres', 'redis']);
    expect(Object.keys(networks).sort()).toEqual([...used((name) => services[name]?.networks ?? [])].sort());
  });

  it('has a password for each store, in files that one script creates once and then keeps', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
    const make = () => execFileSync('sh', [join(ROOT, 'deploy/make-secrets.sh'), folder]);
    const made = () =>
      Object.fromEntries(
        Object.entries(secrets).map(([name, { file }]) => [name, readFileSync(join(folder, file), 'utf8').trim()]),
      );
    try {
      make();
      const first = made();
      const url = (name: string) => new URL(first[name] ?? '');
      expect(url('database-url')).toMatchObject({ username: 'countersign', password: first['database-password'] });
      expect(url('redis-url')).toMatchObject({ hostname: 'redis', password: first['redis-password'] });
      expect(first['postgres-password']).not.toBe(first['database-password']);
      const config = readConfig({ DATABASE_URL: first['database-url'], SECRET_KEYS: first['secret-keys'] });
      expect(config.database).toMatchObject({ kind: 'postgres' });
      make();
      expect(made()).toEqual(first);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('starts the lock store with that password, and not on the command line of its process', () => {
    const command = services.redis?.command?.join(' ') ?? '';
    expect(command).toContain('requirepass $$(cat /run/secrets/redis-password)');
    expect(command).toMatch(/exec redis-server \/tmp\/redis\.conf /);
  });
});
