// @vitest-environment happy-dom
// Text of others in a box: JSON and anything else, always to the byte.
import { cleanup, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it } from 'vitest';
import UntrustedText from './UntrustedText.svelte';

afterEach(cleanup);

const box = () => screen.getByRole('region', { name: 'Body' });

it.each([
  ['an object', '{"a":1.50,"b":["x",null]}', true],
  ['a list', ' [1,2]', true],
  ['text', 'Not found', false],
  ['what only begins like JSON', '{"a":', false],
  ['a long JSON text', JSON.stringify({ a: 'x'.repeat(100_000) }), false],
])('shows %s as it was sent', (_what, value, coloured) => {
  render(UntrustedText, { value, label: 'Body' });
  expect(box().textContent).toBe(value);
  expect(box().querySelector('code') !== null).toBe(coloured);
});
