// What lists call an item: its title where it has one, else the beginning of its input, and never nothing.
import { expect, it } from 'vitest';
import { nameOf } from './name-of.ts';

it.each([
  [{ title: 'Refund order A-1009', preview: '{"order":"A-1009"}' }, 'Refund order A-1009'],
  [{ title: 'Refund order A-1009', preview: '' }, 'Refund order A-1009'],
  [{ title: null, preview: 'May it be returned?' }, 'May it be returned?'],
  [{ title: null, preview: ' \n' }, 'No preview text'],
])('%j is called %s', (item, name) => expect(nameOf(item)).toBe(name));
