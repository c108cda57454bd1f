// The address of the queue page.
import { describe, expect, it } from 'vitest';
import { addressOf, placeOf } from './address.ts';

const ID = '019a0000-0000-7000-8000-00000000abcd';
const read = (address: string) => placeOf(new URL(address, 'http://localhost'));

describe('address', () => {
  it('holds the view, the project and the item, and nothing that is as usual', () => {
    const place = { view: 'mine', projectId: ID, item: ID } as const;
    expect(read(addressOf(place))).toEqual(place);
    expect(addressOf({ view: 'available', projectId: null, item: null })).toBe('/(app)/queue');
  });

  it('ignores what it does not know', () => {
    expect(read('/queue?view=secret&item=../x&project=1')).toEqual({ view: 'available', projectId: null, item: null });
    expect(read(`/queue?item=${ID.toUpperCase()}`).item).toBe(ID);
  });
});
