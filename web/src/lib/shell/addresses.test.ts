// The redirect after signing in only ever leads to a page of this site.
import { describe, expect, it } from 'vitest';
import { isAt, isUnder, wantedPath, withQuery } from './addresses.ts';

describe('S16: wantedPath', () => {
  it.each([
    [null, '/projects'],
    ['/queue?view=mine#x', '/queue?view=mine#x'],
    ['/', '/projects'],
    ['https://evil.example/queue', '/projects'],
    ['//evil.example/queue', '/projects'],
    ['/\\evil.example', '/projects'],
    ['javascript:alert(1)', '/projects'],
    ['http://localhost:3000/queue', '/projects'],
    ['http://localhost:3000//evil.example', '/projects'],
    ['/.//evil.example', '/projects'],
    ['/queue/..//evil.example', '/projects'],
    ['/%2e//evil.example', '/projects'],
    ['/\t/evil.example', '/projects'],
    ['\t//evil.example', '/projects'],
    ['/queue\n', '/projects'],
    ['/queue\u0000', '/projects'],
    ['/queue\u007f', '/projects'],
    ['/queue\u0085', '/projects'],
    ['/queue\\..\\..', '/projects'],
    ['\\\\evil.example', '/projects'],
    [' /queue', '/projects'],
    ['queue', '/projects'],
    ['?x=1', '/projects'],
    ['/%2f%2fevil.example', '/%2f%2fevil.example'],
    ['/invites/a-b_c', '/invites/a-b_c'],
    ['/learnings?q=a%20//b', '/learnings?q=a%20//b'],
    ['', '/projects'],
  ])('reads the wanted path %j as %s', (next, path) => expect(wantedPath(next, 'http://localhost:3000')).toBe(path));
});

it('a page is under its own path and not under one that only begins with it', () => {
  expect(isUnder('/projects/1', '/projects')).toBe(true);
  expect(isUnder('/projects', '/projects')).toBe(true);
  expect(isUnder('/projectsx', '/projects')).toBe(false);
});

it('a URL is at its own origin only, port included (S7)', () => {
  expect(isAt('http://localhost:3000/', 'http://localhost:3000')).toBe(true);
  expect(isAt('http://localhost:3000', 'http://127.0.0.1:3000')).toBe(false);
  expect(isAt('http://localhost:3001', 'http://localhost:3000')).toBe(false);
  expect(isAt('localhost', 'http://localhost:3000')).toBe(false);
});

it('one member of a query changes, the others stay', () => {
  expect(withQuery('', 'project', 'a-1')).toBe('?project=a-1');
  expect(withQuery('?project=a-1&range=day', 'range', 'week')).toBe('?project=a-1&range=week');
  expect(withQuery('?range=week', 'project', 'b&c')).toBe('?range=week&project=b%26c');
  expect(withQuery('?status=dead&x=1', 'status', null)).toBe('?x=1');
});
