// Tests that the log watch finds secrets in log lines, and nothing else.
import { describe, expect, it } from 'vitest';
import { makeApiKey } from '../../../src/crypto/api-key.ts';
import { makeKeyRingText } from '../../fixtures/key-ring-text.ts';
import { randomToken } from '../../../src/crypto/tokens.ts';
import { makeWebhookSecret } from '../../../src/crypto/webhook-secret.ts';
import { uuidV7 } from '../../../src/db/clock.ts';
import { aSubmission } from '../../builders.ts';
import { createLogWatch, watchedLogger } from '../../log-watch.ts';

const id = uuidV7.uuid();
/** The kinds that are found when these fields are logged. */
function seen(fields: object, message = 'said'): string[] {
  const watch = createLogWatch();
  watchedLogger(undefined, watch).fatal(fields, message);
  return watch.found();
}

describe('K7: a log line', () => {
  it.each([
    ['a user', { user: id }, 'signed in'],
    ['a request', { request_id: id, method: 'POST', path: '/api/invites/…/accept', status: 200, ms: 3 }, 'request'],
    ['a wallet', { address: 'CzQm2sJk6vV4bYhH9X8f7TqPdRgLw3n5A1ZyKtEuBcMo' }, 'seen'],
    ['an error', { err: new Error('relation "item" does not exist') }, 'request failed'],
    ['a start', { port: 3000, url: 'http://countersign.test' }, 'ready'],
  ])('a log line may contain %s', (_, fields, message) => {
    expect(seen(fields, message)).toEqual([]);
  });

  it.each([
    ['an API key', { key: makeApiKey() }],
    ['a webhook secret', { secret: makeWebhookSecret() }],
    ['a session token', { token: `${id}.${randomToken()}` }],
    ['a cookie', { sent: `__Host-sid=${id}` }],
    ['the URL of an invite', { path: `/api/invites/${randomToken()}/accept` }],
    ['a header with credentials', { headers: { 'x-api-key': 'none' } }],
    ['a key of SECRET_KEYS', { env: makeKeyRingText() }],
    ['a password', { url: 'postgres://me:mine@127.0.0.1/db' }],
    ['an item', aSubmission()],
  ])('may not contain %s', (kind, fields) => {
    expect(seen(fields)).toEqual([kind]);
  });

  it('may contain no secret that was shown to a person, anywhere, shown before or after', () => {
    for (const line of ['"path":"/x/SECRET/y"', '{"a":"SECRET"}', '?t=SECRET&u=1', 'SECRET', 'a: SECRET, b']) {
      const watch = createLogWatch();
      const [before, after] = [randomToken(), randomToken()];
      watch.secret('token', before);
      expect(watch.found()).toEqual([]);
      watch.line(line.replace('SECRET', before));
      expect(watch.found()).toEqual(['token']);
      watch.line(line.replace('SECRET', after));
      watch.secret('binder', after);
      expect(watch.found()).toEqual(['binder', 'token']);
    }
  });
});
