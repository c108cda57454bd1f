// @vitest-environment happy-dom
// “Try it” as a form: nothing is sent without a key, a refusal is described, the key stays in memory.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { Access } from './access.svelte.ts';
import type { ShownOperation } from '../document/document.ts';
import TryIt from './TryIt.svelte';

const EXAMPLE = '{\n  "project_id": "0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11",\n  "confidence": 0.82\n}';
const OPERATION: ShownOperation = {
  id: 'submitItem',
  method: 'POST',
  path: '/api/public/items',
  tag: 'Items',
  summary: 'Submit an item',
  description: '',
  auth: 'key',
  parameters: [],
  body: { fields: [], examples: [{ name: 'One', code: EXAMPLE }] },
  answers: [],
  errors: [],
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(answer: () => Promise<Response>) {
  const sent = vi.fn(answer);
  vi.stubGlobal('fetch', sent);
  render(TryIt, { operation: OPERATION, baseUrl: 'http://here.test', access: new Access('') });
  return sent;
}

const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });
const send = () => fireEvent.click(screen.getByRole('button', { name: 'Send' }));

it('sends nothing without a key and says what is missing', async () => {
  const sent = open(() => Promise.reject(new Error('This request must not be sent.')));
  await send();
  expect(screen.getByText('Enter your API key.')).toBeTruthy();
  expect(sent).not.toHaveBeenCalled();
});

it('sends the example with the project filled in, without cookies, and shows status, headers and body', async () => {
  const headers = { 'x-request-id': 'req-1', 'x-other': 'unsaid' };
  const sent = open(() => Promise.resolve(new Response('{"id":"1"}', { status: 201, statusText: 'Created', headers })));
  await type('API key', ' csk_1 ');
  await type('Project ID', 'my-project');
  await send();
  expect(await screen.findByText('201 Created')).toBeTruthy();
  expect(sent).toHaveBeenCalledWith(
    '/api/public/items',
    expect.objectContaining({
      method: 'POST',
      credentials: 'omit',
      headers: { 'x-api-key': 'csk_1', 'content-type': 'application/json' },
      body: EXAMPLE.replace(/0198[^"]*/, 'my-project'),
    }),
  );
  expect(screen.getByText('req-1')).toBeTruthy();
  expect(screen.queryByText('unsaid')).toBeNull();
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('csk_1');
});

it('describes a refusal and points at the field', async () => {
  const problem = {
    title: 'Validation failed',
    detail: 'Mend them.',
    errors: [{ pointer: '#/confidence', detail: 'Too big' }],
  };
  open(() => Promise.resolve(new Response(JSON.stringify(problem), { status: 422 })));
  await type('API key', 'csk_1');
  await send();
  expect(await screen.findByText('Validation failed')).toBeTruthy();
  expect(screen.getByText('#/confidence').parentElement?.textContent).toContain('Too big');
});

it('distinguishes a missing answer from a key that no header may contain', async () => {
  const sent = open(() => Promise.reject(new TypeError('The connection was refused.')));
  await type('API key', 'csk_1');
  await send();
  expect(await screen.findByText('No response')).toBeTruthy();
  await type('API key', 'csk_✓');
  await send();
  expect(await screen.findByText('Invalid header')).toBeTruthy();
  expect(sent).toHaveBeenCalledTimes(1);
});

it('says at once that a body is invalid JSON, and returns to the example', async () => {
  open(() => Promise.reject(new Error('This request must not be sent.')));
  await type('Body', '{"confidence": 0.8');
  expect(screen.getByText(/^Invalid JSON/)).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: 'Reset example' }));
  expect(screen.getByLabelText<HTMLTextAreaElement>('Body').value).toBe(EXAMPLE);
});
