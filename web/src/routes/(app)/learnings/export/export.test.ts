// An export starts with as much of the page's filter as it supports, and says where it includes more.
import { expect, it } from 'vitest';
import { exportRequestFor, exportIsWider } from './export.svelte.ts';
import { readUrlState } from '../url-state.ts';

const at = (query: string) => readUrlState(new URL(`http://x/learnings?${query}`));
const ID = '0197f1a0-0000-7000-8000-000000000001';

it('takes over the filters that an export supports', () => {
  expect(exportRequestFor(at(`cluster=${ID}&action=edit&flag=pii&model=m&source=s`))).toEqual({
    ...{ format: 'raw', reason: '', split: '' },
    ...{ action: 'edit', cluster: ID, flag: 'pii', model: 'm', source: 's' },
  });
  expect(exportRequestFor(at('range=day&q=sum'))).toMatchObject({
    action: '',
    cluster: '',
    flag: '',
    model: '',
    source: '',
  });
});

it.each([
  ['', false],
  ['flag=pii&excluded=none', false],
  ['range=week', true],
  ['q=sum', true],
  ['excluded=only', true],
])('LX2: of a page at “%s” says whether it includes more: %s', (query, further) => {
  expect(exportIsWider(at(query))).toBe(further);
});
