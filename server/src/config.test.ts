// Tests the default, valid values and errors of every environment variable, and which base URLs are plain http.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig, isPlainHttp } from './config.ts';
import { parseKeyRing } from './crypto/key-ring.ts';

const KEY = `test:${randomBytes(32).toString('base64')}`;
const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (env: NodeJS.ProcessEnv) => readConfig({ SECRET_KEYS: KEY, DATA_DIR: folder, ...env });

/** The error message by which a start is refused. */
function sentence(env: NodeJS.ProcessEnv): string {
  try {
    read(env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('The configuration was accepted.');
}

describe('without any variable', () => {
  it('runs embedded, on port 3000 of this machine, with both roles and without Redis', () => {
    expect(readConfig({ SECRET_KEYS: KEY })).toEqual({
      listen: { host: '127.0.0.1', port: 3000 },
      baseUrl: 'http://localhost:3000',
      roles: new Set(['web', 'worker']),
      database: { kind: 'embedded', folder: resolve('.data') },
      redisUrl: null,
      secretKeys: KEY,
      patience: { keepAliveMs: 130_000 },
      demo: false,
      projectCreators: 'anyone',
      webhooks: { allowCidrs: [], allowHttp: false, proxyUrl: null },
      proxyHops: 0,
      rateLimitPerMinute: 60_000,
      logLevel: 'info',
      slowStatementMs: 1000,
      readLimitMs: 10_000,
      metrics: { token: null, port: null },
      traces: { url: null, share: 1 },
    });
  });

  it('treats an empty variable as unset, and ignores unknown variables', () => {
    const names = ['PORT', 'HOST', 'PUBLIC_BASE_URL', 'DATABASE_URL', 'REDIS_URL', 'ROLES', 'LOG_LEVEL', 'DEMO'];
    for (const nothing of ['', ' ']) {
      const empty = Object.fromEntries(names.map((name) => [name, nothing]));
      expect(read({ ...empty, PATH: '/usr/bin', WEBHOOK_ALLOW_CIDRS: nothing })).toEqual(read({}));
    }
  });
});

describe('the valid values of each variable', () => {
  it.each<[string, string, unknown]>([
    ['PORT', '8080', { listen: { host: '127.0.0.1', port: 8080 }, baseUrl: 'http://localhost:8080' }],
    ['PORT', '0', { listen: { host: '127.0.0.1', port: 0 } }],
    ['PORT', '65535', { listen: { host: '127.0.0.1', port: 65_535 } }],
    ['HOST', '0.0.0.0', { listen: { host: '0.0.0.0', port: 3000 } }],
    ['PUBLIC_BASE_URL', 'https://review.example.com', { baseUrl: 'https://review.example.com' }],
    ['HOST', '[::1]', { listen: { host: '::1', port: 3000 } }],
    ['HOST', '::', { listen: { host: '::', port: 3000 } }],
    ['HOST', '::ffff:127.0.0.1', { listen: { host: '::ffff:127.0.0.1', port: 3000 } }],
    ['HOST', '[fe80::1%eth0]', { listen: { host: 'fe80::1%eth0', port: 3000 } }],
    ['HOST', 'review.internal', { listen: { host: 'review.internal', port: 3000 } }],
    ['PUBLIC_BASE_URL', 'https://review.example.com/', { baseUrl: 'https://review.example.com' }],
    ['PUBLIC_BASE_URL', 'http://127.0.0.1:3000', { baseUrl: 'http://127.0.0.1:3000' }],
    ['DATABASE_URL', 'postgres://u:p@db/x', { database: { kind: 'postgres', url: 'postgres://u:p@db/x' } }],
    ['DATABASE_URL', 'postgresql://db/x', { database: { kind: 'postgres', url: 'postgresql://db/x' } }],
    ['REDIS_URL', 'redis://r:6379', { redisUrl: 'redis://r:6379' }],
    ['REDIS_URL', 'rediss://r:6379', { redisUrl: 'rediss://r:6379' }],
    ['KEEP_ALIVE_SECONDS', '620', { patience: { keepAliveMs: 620_000 } }],
    ['ROLES', 'web', { roles: new Set(['web']) }],
    ['ROLES', ' worker , web ', { roles: new Set(['web', 'worker']) }],
    ['DEMO', 'true', { demo: true }],
    ['DEMO', '1', { demo: true }],
    ['DEMO', 'false', { demo: false }],
    ['DEMO', '0', { demo: false }],
    ['WEBHOOK_ALLOW_CIDRS', '127.0.0.0/8,::1/128', { webhooks: { allowCidrs: ['127.0.0.0/8', '::1/128'] } }],
    ['WEBHOOK_ALLOW_CIDRS', ' 10.0.0.0/8 ', { webhooks: { allowCidrs: ['10.0.0.0/8'] } }],
    ['WEBHOOK_ALLOW_HTTP', 'true', { webhooks: { allowHttp: true } }],
    ['WEBHOOK_PROXY_URL', 'http://10.0.0.5:4750', { webhooks: { proxyUrl: 'http://10.0.0.5:4750' } }],
    ['WEBHOOK_PROXY_URL', 'http://proxy.internal:80/', { webhooks: { proxyUrl: 'http://proxy.internal:80/' } }],
    ['WEBHOOK_PROXY_URL', 'http://u:p%40s@[::1]:1', { webhooks: { proxyUrl: 'http://u:p%40s@[::1]:1' } }],
    ['TRUSTED_PROXY_HOPS', '2', { proxyHops: 2 }],
    ['PROJECT_CREATORS', 'anyone', { projectCreators: 'anyone' }],
    ['PROJECT_CREATORS', `${WALLET}, ${WALLET}`, { projectCreators: [WALLET, WALLET] }],
    ['RATE_LIMIT_PER_MINUTE', '1', { rateLimitPerMinute: 1 }],
    ['RATE_LIMIT_PER_MINUTE', '10000000', { rateLimitPerMinute: 10_000_000 }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
    ['SLOW_STATEMENT_MS', '250', { slowStatementMs: 250 }],
    ['READ_LIMIT_MS', '2500', { readLimitMs: 2500 }],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://otel:4318/', { traces: { url: 'http://otel:4318/v1/traces', share: 1 } }],
    ['OTEL_TRACES_SAMPLER_ARG', '0.05', { traces: { url: null, share: 0.05 } }],
  ])('accepts %s=%s', (name, value, expected) => {
    expect(read({ [name]: value })).toMatchObject(expected as object);
  });

  it('resolves DATA_DIR against the working directory', () => {
    expect(read({ DATA_DIR: folder }).database).toEqual({ kind: 'embedded', folder });
    expect(read({ DATA_DIR: 'some/folder' }).database).toEqual({ kind: 'embedded', folder: resolve('some/folder') });
  });
});

describe('the invalid values of each variable', () => {
  it.each([
    ['PORT', ['http', '-1', '65536', '80.5', '3000 or so']],
    [
      'PUBLIC_BASE_URL',
      ['review.example.com', 'ftp://x', 'https://x/app', 'https://x/?a', 'https://x/#a', 'https://u@x'],
    ],
    ['DATABASE_URL', ['mysql://db/x', 'db/x', 'file:./x']],
    ['HOST', ['[::1', '::1]', '127.0.0.1:3000', '[::1]:3000', 'http://x', '1.2.3', 'two words', ':::']],
    ['REDIS_URL', ['http://r:6379', 'r:6379']],
    ['KEEP_ALIVE_SECONDS', ['0', '-1', '1.5', '86401', 'long']],
    ['ROLES', ['api', 'web;worker', 'web,api', ',']],
    ['DEMO', ['yes', 'TRUE', 'on']],
    ['WEBHOOK_ALLOW_CIDRS', ['10.0.0.0', '10.0.0.0/33', 'everything', '10.0.0.0/8;::1/128']],
    ['WEBHOOK_ALLOW_HTTP', ['yes']],
    [
      'WEBHOOK_PROXY_URL',
      [
        ...[
          'proxy:4750',
          'https://proxy:4750',
          'socks5://proxy:1080',
          'http://proxy',
          'http://u:p@proxy',
          'http://:4750',
        ],
        ...[
          'http://proxy:0',
          'http://proxy:70000',
          'http://proxy:4750/way',
          'http://proxy:4750/?a',
          'http://proxy:4750#a',
        ],
        ...['http://u:100%@proxy:4750', 'http://pro xy:4750', 'http://[::1:4750'],
      ],
    ],
    ['TRUSTED_PROXY_HOPS', ['-1', '11', '1.5', 'all']],
    ['PROJECT_CREATORS', ['nobody', ',', 'anyone,', `${WALLET},anyone`, `${WALLET};${WALLET}`, '0'.repeat(44)]],
    ['RATE_LIMIT_PER_MINUTE', ['0', '-1', '10000001', '0.5', 'none']],
    ['LOG_LEVEL', ['verbose', 'INFO']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['otel:4318', 'grpc://otel:4317', 'collector']],
    ['OTEL_TRACES_SAMPLER_ARG', ['-0.1', '1.1', '5%']],
  ])('refuses each invalid value of %s', (name, values) => {
    for (const value of values) {
      const said = sentence({ [name]: value });
      expect(said, value).toMatch(new RegExp(`^${name} .*\\.$`));
      expect(said, value).not.toContain('\n');
    }
  });

  it('DB3: passes every libpq variable on with DATABASE_URL', () => {
    const libpq = { PGCONNECT_TIMEOUT: '7', PGSSLMODE: 'require', PGSSLCRL: '/crl' };
    expect(read({ DATABASE_URL: 'postgres://db/x', ...libpq })).toMatchObject({ database: { libpq } });
  });

  it('does not repeat the value: it may be a password', () => {
    expect(sentence({ DATABASE_URL: 'mysql://root:hunter2@db' })).not.toContain('hunter2');
    expect(sentence({ WEBHOOK_PROXY_URL: 'https://root:hunter2@proxy:4750' })).not.toContain('hunter2');
  });
});

describe('SECRET_KEYS', () => {
  it('is required with DATABASE_URL, and the message says how to create one', () => {
    const said = sentence({ SECRET_KEYS: undefined, DATABASE_URL: 'postgres://db/x' });
    expect(said).toMatch(/^SECRET_KEYS is required with DATABASE_URL: .*openssl rand -base64 32.*\.$/);
  });

  it('is passed on unchanged', () => {
    const both = `${KEY},other:${randomBytes(32).toString('base64')}`;
    expect(read({ SECRET_KEYS: both, DATABASE_URL: 'postgres://db/x' }).secretKeys).toBe(both);
    expect(read({ SECRET_KEYS: both }).secretKeys).toBe(both);
  });

  it('is created once in DATA_DIR when embedded, readable by the owner only', () => {
    const env = { DATA_DIR: join(folder, 'new') };
    const { secretKeys } = readConfig(env);
    expect(parseKeyRing(secretKeys)).toHaveLength(1);
    expect(statSync(join(folder, 'new', 'secret-keys')).mode & 0o777).toBe(0o600);
    expect(readConfig(env).secretKeys).toBe(secretKeys);
    expect(readConfig({ DATA_DIR: folder }).secretKeys).not.toBe(secretKeys);
  });

  it('is not written when it is set', () => {
    read({});
    expect(() => statSync(join(folder, 'secret-keys'))).toThrow();
  });

  it('is not stored by a command, which encrypts nothing and uses a stored one', () => {
    const elsewhere = join(folder, 'new');
    const readForCommand = () => readConfig({ DATA_DIR: elsewhere }, { storesKeys: false }).secretKeys;
    expect(parseKeyRing(readForCommand())).toHaveLength(1);
    expect(existsSync(elsewhere)).toBe(false);
    const { secretKeys } = readConfig({ DATA_DIR: elsewhere });
    expect(readForCommand()).toBe(secretKeys);
  });
});

describe('secrets from files', () => {
  const file = (text: string) => {
    const path = join(folder, 'secret');
    writeFileSync(path, text);
    return path;
  };

  it.each([
    [
      'DATABASE_URL',
      'postgres://a:b@db/c',
      { database: { kind: 'postgres', url: 'postgres://a:b@db/c', poolSize: 20 } },
    ],
    ['REDIS_URL', 'rediss://:p@cache', { redisUrl: 'rediss://:p@cache' }],
    ['SECRET_KEYS', KEY, { secretKeys: KEY }],
    ['WEBHOOK_PROXY_URL', 'http://u:p@out:4750', { webhooks: { proxyUrl: 'http://u:p@out:4750' } }],
  ])('reads %s_FILE, without the final line end', (name, text, config) => {
    expect(read({ SECRET_KEYS: name === 'SECRET_KEYS' ? '' : KEY, [`${name}_FILE`]: file(`${text}\n`) })).toMatchObject(
      config,
    );
  });

  it('validates the content of a file like the variable, and does not repeat it', () => {
    expect(sentence({ REDIS_URL_FILE: file('s3cret') })).toBe(
      'REDIS_URL must be a redis:// or rediss:// address; it is set to something else.',
    );
  });

  it('refuses it next to the variable itself, without a file, and for an empty file; when empty it counts as unset', () => {
    const path = file('redis://cache');
    expect(sentence({ REDIS_URL: 'redis://other', REDIS_URL_FILE: path })).toBe(
      'REDIS_URL and REDIS_URL_FILE are both set: keep one of them.',
    );
    expect(sentence({ REDIS_URL_FILE: folder })).toContain('REDIS_URL_FILE must be a file that this process can read');
    expect(sentence({ REDIS_URL_FILE: file(' \n') })).toContain('is empty');
    expect(read({ REDIS_URL: 'redis://cache', REDIS_URL_FILE: ' ' }).redisUrl).toBe('redis://cache');
  });
});

it.each([
  ['http://review.example.org', true],
  ['http://192.168.1.20:3000', true],
  ['http://countersign:3000', true],
  ['http://localhost.example.org', true],
  ['http://127.example.org', true],
  ['https://review.example.org', false],
  ['http://localhost:3000', false],
  ['http://review.localhost', false],
  ['http://127.0.0.1:3000', false],
  ['http://[::1]:3000', false],
])('S15: reports whether %s is plain http: %s', (url, plain) => expect(isPlainHttp(url)).toBe(plain));
