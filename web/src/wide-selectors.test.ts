// Which selectors restyle the neighbours of a child that comes or goes.
import { expect, it } from 'vitest';
import { wideSelectors } from '../wide-selectors.ts';

it.each([
  '.row:last-child>*',
  '.row:first-child .cell',
  '.list>:nth-child(2n + 1)>.cell',
  '.list:has(>:first-child [data-picture])',
  '.a:last-child.b + .c',
  '.a, .row:last-child > th, .b',
])('finds %s', (selector) => {
  expect(wideSelectors(`.before{color:red}@media print{${selector}{color:red}}`)).toEqual([selector]);
});

it.each([
  '.row:last-child',
  '.list>:last-child',
  ':where(.list>:not(:last-child))',
  ':is(.list>*):nth-child(odd)',
  '.list>:first-child,.list>.last',
  '.row:last-child:hover',
  '.first\\:pl-3:first-child',
  '.list>li+li',
])('leaves %s', (selector) => {
  expect(wideSelectors(`${selector}{color:red}`)).toEqual([]);
});
