// Which boxes are drawn on a picture: those beside it, or those of the suggestion on the input's one picture (MP8).
import type { Json } from '@countersign/shared/json/json';
import { isArray, isObject } from '../../json/lossless.ts';
import { mediaOf } from '../media.ts';
import type { MediaPlace } from '../pictures.svelte.ts';
import type { View } from '../../view.svelte.ts';
import { type Box, boxesIn, holderOf } from './boxes.ts';

interface Picture {
  /** The path to it in its block; absent inside a text. */
  path: string | undefined;
  place: MediaPlace | null;
}

export function boxesFor({ value, reference }: Pick<View, 'value' | 'reference'>, { path, place }: Picture): Box[] {
  const holder = path === undefined ? null : holderOf(value, path);
  const beside = holder === null || !isObject(holder.value) ? [] : boxesIn(holder.value, holder.path);
  // The suggestion itself is shown with its input as the reference.
  if (beside.length > 0 || reference !== undefined || place === null || path === undefined) return beside;
  return picturesIn(value) === 1 && picturesIn(place.suggestion) === 0 ? boxesIn(place.suggestion, '$') : [];
}

/** Values looked at: larger ones have no picture that stands out. */
const MOST_VALUES = 2000;

function picturesIn(root: Json): number {
  const open: Json[] = [root];
  let [found, seen] = [0, 0];
  for (let next = open.pop(); next !== undefined && seen < MOST_VALUES; next = open.pop()) {
    seen += 1;
    if (typeof next === 'string') found += mediaOf(next)?.what === 'image' ? 1 : 0;
    else if (isArray(next)) open.push(...next.slice(0, MOST_VALUES));
    else if (isObject(next)) open.push(...Object.values(next));
  }
  return found;
}
