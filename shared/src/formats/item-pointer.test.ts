// Which JSON pointers a project may fix a content kind for (ST2).
import { expect, it } from 'vitest';
import { isItemPointer } from './item-pointer.ts';

it.each(['/input', '/suggestion', '/input/', '/input/a b/0/~0~1', '/suggestion/äöü'])(
  'ST2: accepts the JSON pointer %j',
  (pointer) => expect(isItemPointer(pointer)).toBe(true),
);

it.each([
  '',
  '/',
  'input',
  '/inputs',
  '/output',
  '/metadata/x',
  '/input/~',
  '/input/~2',
  '#/input',
  '/input/\n',
  '/input/\ud800',
])('ST2: refuses the JSON pointer %j', (pointer) => expect(isItemPointer(pointer)).toBe(false));
