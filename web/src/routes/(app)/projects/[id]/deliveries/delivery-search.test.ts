// The search of the delivery log: parsed from typed text, stored in the URL, never ignored silently.
import { deliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDeliveryQuery, CHOICES, typedOrCurrent, queryFor, readTyped, type Typed } from './delivery-search.ts';

const ITEM = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
/** The text that a user would type for it. */
const typedText = ({ code, event, item }: Typed) => [code, event, item].filter((word) => word !== undefined).join(' ');
const asked = (query: string) => parseDeliveryQuery(new URLSearchParams(query));

describe('typed text', () => {
  it.each([
    ['', {}],
    ['  503 ', { code: '503' }],
    ['5XX', { code: '5xx' }],
    ['None', { code: 'none' }],
    [ITEM.toUpperCase(), { item: ITEM }],
    [`evt_${ITEM} 404\n${ITEM}`, { event: `evt_${ITEM}`, code: '404', item: ITEM }],
    ['503 503', { code: '503' }],
  ])('%j is parsed as %o', (text, typed) => {
    expect(readTyped(text)).toEqual(typed);
  });

  it.each([
    ['Candy', { unknown: 'Candy' }],
    ['503 Candy', { unknown: 'Candy' }],
    ['42', { unknown: '42' }],
    ['evt_', { unknown: 'evt_' }],
    [ITEM.slice(1), { unknown: ITEM.slice(1) }],
    ['503 404', { twice: 'code' }],
  ])('%j is refused, with the cause', (text, fault) => {
    expect(readTyped(text)).toEqual({ fault });
  });
});

describe('the URL', () => {
  const filter = fc.record(
    {
      code: fc.constantFrom('503', '2xx', 'none'),
      event: fc.uuid().map((id) => `evt_${id}`),
      item: fc.uuid(),
    },
    { requiredKeys: [] },
  );

  it('by property: contains the state and text, beside all its other parameters, and the server accepts it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...CHOICES), filter, (choice, typed) => {
        const query = queryFor('?other=1&status=x&code=404', choice, typed);
        expect(new URLSearchParams(query).get('other')).toBe('1');
        const read = asked(query);
        expect(read).toMatchObject({ choice, fault: null, text: typedText(typed) });
        expect(read.filter).toEqual({ ...(choice === 'all' ? {} : { status: choice }), ...typed });
        expect(deliveryFilter.safeParse(read.filter).success).toBe(true);
        expect(readTyped(read.text)).toEqual(typed);
      }),
    );
  });

  it.each([
    ['404', { code: '404' }],
    ['', {}],
    ['what', { code: '503', item: ITEM }],
    ['200 404', { code: '503', item: ITEM }],
  ])('selects a state beside the typed text, or the present search while the text is invalid: %s', (typed, kept) => {
    const query = queryFor('', 'dead', typedOrCurrent(typed, asked(`status=pending&code=503&item=${ITEM}`)));
    expect(asked(query).filter).toEqual({ status: 'dead', ...kept });
  });

  it('is as short as possible', () => {
    expect(queryFor('?status=dead&item=1', 'all', {})).toBe('');
  });

  it.each([['item=1'], ['code=abc'], ['event=503'], [`item=evt_${ITEM}`], ['code=200%20404']])(
    'with an unknown word finds nothing, and shows the word: %s',
    (query) => {
      const read = asked(`status=dead&${query}`);
      expect(read.fault).not.toBeNull();
      expect(read.text).toBe(new URLSearchParams(query).values().next().value);
    },
  );

  it('with an unknown state shows all', () => {
    expect(asked('status=gone')).toMatchObject({ choice: 'all', filter: {}, fault: null });
  });
});

it.each([
  [`endpoint=${ITEM.toUpperCase()}&code=503`, { endpoint: ITEM, code: '503' }, 'dead'],
  ['endpoint=constructor', {}, 'dead'],
])('WH12: the endpoint of %j is a filter beside the text', (query, filter, choice) => {
  expect(asked(query)).toMatchObject({ filter, fault: null });
  const next = queryFor(`?${query}`, choice as 'dead', {});
  expect(new URLSearchParams(next).get('endpoint')).toBe(new URLSearchParams(query).get('endpoint'));
});
