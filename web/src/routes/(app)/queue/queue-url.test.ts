// The URL of the queue page.
import { describe, expect, it } from 'vitest';
import { queueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { queueUrlOf, parseQueueUrl } from './queue-url.ts';

const ID = '019a0000-0000-7000-8000-00000000abcd';
const read = (address: string) => parseQueueUrl(new URL(address, 'http://localhost'));

describe('queue URL', () => {
  it('contains the view, the project and the item, and omits defaults', () => {
    const queueLocation = { view: 'mine', projectId: ID, item: ID } as const;
    expect(read(queueUrlOf(queueLocation))).toEqual(queueLocation);
    expect(queueUrlOf({ view: 'available', projectId: null, item: null })).toBe('/(app)/queue');
  });

  it('the queue URL ignores unknown parameters', () => {
    expect(read('/queue?view=secret&item=../x&project=1')).toEqual({ view: 'available', projectId: null, item: null });
    expect(read(`/queue?item=${ID.toUpperCase()}`).item).toBe(ID);
  });

  it('QU25, QU26: contains the sort and the grouping, also beside a filter and an item', () => {
    for (const sort of ['newest', 'confidence', 'flag'] as const)
      for (const group of ['flag', 'project', 'model'] as const) {
        const queueLocation = { view: 'all', projectId: ID, item: ID, sort, group, filter: { flag: 'a' } } as const;
        expect(read(queueUrlOf(queueLocation))).toEqual(queueLocation);
      }
    expect(queueUrlOf({ view: 'available', projectId: null, item: null, sort: 'due' })).toBe('/(app)/queue');
    expect(read('/queue?sort=due&group=none')).toEqual({ view: 'available', projectId: null, item: null });
    expect(read('/queue?sort=toString&group=view')).toEqual({ view: 'available', projectId: null, item: null });
  });

  it.each([
    [{ flag: 'pii & co', model: 'gpt=4?', source: ' as sent ' }],
    [{ min_confidence: 0, max_confidence: 0.7000000000000001 }],
    [{ text: '100 % #1 + “ä” 👩' }],
    [{ flag: 'a', model: 'b', source: 'c', min_confidence: 0.1, max_confidence: 1, text: 'd' }],
  ])('contains the filter %j', (filter) => {
    const queueLocation = { view: 'all', projectId: null, item: null, filter } as const;
    expect(read(queueUrlOf(queueLocation))).toEqual(queueLocation);
    expect(read(queueUrlOf({ ...queueLocation, item: ID })).filter).toEqual(filter);
  });

  it.each([
    ['?q=', undefined],
    ['?q=%20%20', undefined],
    ['?q=%20a%20', { text: 'a' }],
    ['?q=%00', undefined],
    [`?q=${'x'.repeat(101)}`, undefined],
    ['?min=x&max=2', undefined],
    ['?min=&max=-1', undefined],
    ['?min=0,25', { min_confidence: 0.25 }],
    ['?min=Infinity&max=NaN', undefined],
    ['?flag=', undefined],
  ])('reads %s as %j, and never a value that the server refuses', (query, expected) => {
    const { filter } = read(`/queue${query}`);
    expect(filter).toEqual(expected);
    if (filter !== undefined) expect(queueFilter.parse(filter)).toEqual(filter);
  });
});
