// @vitest-environment happy-dom
// Selecting a state beside invalid text: the text stays, with an error, and the present search is unchanged.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, expect, it, vi } from 'vitest';
import DeliveryFilters from './DeliveryFilters.svelte';
import { parseDeliveryQuery } from './delivery-search.ts';

const { goto, page } = vi.hoisted(() => ({
  goto: vi.fn(),
  page: { url: new URL('http://here.test/deliveries?code=503') },
}));
vi.mock('$app/navigation', () => ({ goto }));
vi.mock('$app/state', () => ({ page }));

afterEach(cleanup);

it('retains invalid text in the field, and the present search in the URL', async () => {
  const deliveryQuery = () => parseDeliveryQuery(page.url.searchParams);
  const { rerender } = render(DeliveryFilters, { deliveryQuery: deliveryQuery(), counts: null });
  const field = screen.getByRole<HTMLInputElement>('searchbox');
  await fireEvent.input(field, { target: { value: 'what' } });
  await fireEvent.keyDown(field, { key: 'Enter' });
  const said = screen.getByRole('status').textContent;
  expect(said).toContain('what');
  await fireEvent.click(screen.getByRole('radio', { name: 'Dead' }));
  expect(goto).toHaveBeenCalledExactlyOnceWith('/deliveries?code=503&status=dead', { replace: false, reset: false });
  page.url = new URL('http://here.test/deliveries?code=503&status=dead');
  await rerender({ deliveryQuery: deliveryQuery(), counts: null });
  expect([field.value, screen.getByRole('status').textContent]).toEqual(['what', said]);
});

it('WH12: filters by one of several endpoints, and offers nothing to choose where there is one', async () => {
  goto.mockClear();
  page.url = new URL('http://here.test/deliveries?status=dead');
  const deliveryQuery = parseDeliveryQuery(page.url.searchParams);
  const one = { id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11', name: 'main.example' };
  const two = { id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12', name: 'Mail' };
  render(DeliveryFilters, { deliveryQuery, counts: null, endpoints: [one] });
  expect(screen.queryByLabelText('Endpoint')).toBeNull();
  cleanup();
  render(DeliveryFilters, { deliveryQuery, counts: null, endpoints: [one, two] });
  const select = screen.getByLabelText<HTMLSelectElement>('Endpoint');
  // The test's browser does not support `:checked`, which is the only selector used.
  vi.spyOn(select, 'querySelector').mockImplementation(() => select.options[select.selectedIndex] ?? null);
  await fireEvent.change(select, { target: { value: two.id } });
  expect(goto).toHaveBeenCalledExactlyOnceWith(`/deliveries?status=dead&endpoint=${two.id}`, { reset: false });
});
