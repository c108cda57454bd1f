// S15: detects base URLs at which browsers do not allow signing in.
import { expect, it } from 'vitest';
import { isPlainHttp } from './plain-http.ts';

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
