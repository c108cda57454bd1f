// docker-compose.yml as far as it can be tried without an engine: what it names is there, and what it sets is understood.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../server/src/config.ts';
import { environmentOf, imageCommand, readCompose } from './compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const { services, secrets, volumes } = readCompose();
const APPS = ['server', 'worker'] as const;
const entries = Object.entries(services);

const used = (pick: (name: string) => string[]) => new Set(entries.flatMap(([name]) => pick(name)));

describe('docker-compose.yml', () => {
  it('has servers behind a proxy, workers apart, and both stores', () => {
    expect(Object.keys(services).sort()).toEqual(['postgres', 'proxy', 'redis', 'server', 'worker']);
    expect([services.server?.deploy?.replicas, services.worker?.deploy?.replicas]).toEqual([3, 2]);
  });

  it('names what it mounts, keeps and waits for', () => {
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
    expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['DATABASE_URL', 'SECRET_KEYS']));
    const places = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
    for (const [, place] of places) expect(service?.secrets).toContain(place.replace('/run/secrets/', ''));
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toMatch(/^USER node$/m);
  });

  it.each(APPS)('%s: the service understands its environment', (name) => {
    const { DATABASE_URL_FILE: _, SECRET_KEYS_FILE: __, ...environment } = environmentOf(services[name] ?? {}, {});
    const secret = {
      DATABASE_URL: 'postgres://u:p@postgres/c',
      SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    };
    const config = readConfig({ ...environment, ...secret });
    expect([...config.roles]).toEqual([name === 'server' ? 'web' : 'worker']);
    expect(config.webhooks).toMatchObject({ allowHttp: false, allowCidrs: [], proxyUrl: null });
  });

  it.each(APPS)('%s: its health is asked for on the port that METRICS_PORT opens', (name) => {
    const port = environmentOf(services[name] ?? {}, {}).METRICS_PORT;
    expect(services[name]?.healthcheck?.test.join(' ')).toContain(`127.0.0.1:${port}/readyz`);
  });

  it('fills in what the environment of the one who starts it says', () => {
    const service = { environment: { A: '${A:-one}', B: '${B}', C: 'x${C:-}y' } };
    expect(environmentOf(service, {})).toEqual({ A: 'one', B: '', C: 'xy' });
    expect(environmentOf(service, { A: '1', B: '2', C: '3' })).toEqual({ A: '1', B: '2', C: 'x3y' });
  });

  it('and the image run Node itself, as npm start does', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
    expect(scripts.start).toContain(imageCommand().join(' '));
  });
});
