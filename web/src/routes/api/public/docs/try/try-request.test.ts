// The request of “Try it”: every parameter in its place, the key in one header and nowhere else.
import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { withProject } from './access.svelte.ts';
import type { ShownOperation, ShownParameter } from '../document/document.ts';
import { curlOf, missing, requestOf } from './try-request.ts';

const parameter = (place: ShownParameter['place'], name: string, required = false): ShownParameter => ({
  ...{ place, name, required, depth: 0, type: 'string', limits: [], values: [], description: '' },
});

const OPERATION: ShownOperation = {
  id: 'read',
  method: 'GET',
  path: '/api/public/items/{id}',
  tag: 'Items',
  summary: 'Read',
  description: '',
  auth: 'key',
  parameters: [parameter('path', 'id', true), parameter('query', 'wait'), parameter('header', 'prefer')],
  body: null,
  answers: [],
  errors: [],
};
const POST: ShownOperation = { ...OPERATION, method: 'POST', path: '/items', body: { fields: [], examples: [] } };

describe('a request', () => {
  it('has its parameters in path, query and headers, and the key', () => {
    const values = { 'path:id': 'a/b', 'query:wait': ' 5 ', 'header:prefer': 'wait=1' };
    expect(requestOf(OPERATION, { values, body: '' }, 'csk_1')).toEqual({
      method: 'GET',
      path: '/api/public/items/a%2Fb?wait=5',
      headers: { prefer: 'wait=1', 'x-api-key': 'csk_1' },
      body: null,
    });
  });

  it('has the body as it was typed, and no empty parameter', () => {
    const request = requestOf(POST, { values: { 'query:wait': ' ' }, body: '{"a":1.50' }, '');
    expect(request).toEqual({
      method: 'POST',
      path: '/items',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1.50',
    });
  });

  it('sends no key to an operation that needs none', () => {
    expect(requestOf({ ...OPERATION, auth: 'none' }, { values: {}, body: '' }, 'csk_1').headers).toEqual({});
  });

  it('waits for required parameters', () => {
    expect(missing(OPERATION, { values: {}, body: '' }).map(({ name }) => name)).toEqual(['id']);
    expect(missing(OPERATION, { values: { 'path:id': 'x' }, body: '' })).toEqual([]);
  });
});

describe('the same as a command', () => {
  it('is parsed back by the shell, without the key in it', () => {
    const body = `{"q":"it's $HOME"}`;
    const command = curlOf(requestOf(POST, { values: {}, body }, 'csk_secret'), 'http://here.test');
    expect(command).not.toContain('csk_secret');
    const shell = `curl() { printf '%s\\n' "$@"; }; COUNTERSIGN_API_KEY=key; ${command}`;
    const read = execFileSync('sh', ['-c', shell]).toString().trimEnd().split('\n');
    expect(read).toContain(body);
    expect(read).toContain('x-api-key: key');
    expect(read).toContain('http://here.test/items');
  });
});

describe('the project', () => {
  it('is inserted into every body, unfinished ones too', () => {
    expect(withProject('{"project_id": "a", "x": [{"project_id":"b"', 'new')).toBe(
      '{"project_id": "new", "x": [{"project_id":"new"',
    );
    expect(withProject('{"project_id": "a"}', '')).toBe('{"project_id": "a"}');
    expect(withProject('{"project_id": "a"}', '$&"')).toBe('{"project_id": "a"}');
  });
});
