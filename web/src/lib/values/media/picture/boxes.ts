// Boxes on a picture: the forms in which values say where something is, which are drawn, and their links (MP8).
import type { Json } from '@countersign/shared/json/json';
import { pathTo } from '../../json/json-tree.ts';
import { entriesOf, isArray, isObject, kindOf, numberText } from '../../json/lossless.ts';
import type { View } from '../../view.svelte.ts';
import { mediaOf } from '../media.ts';
import type { MediaPlace } from '../pictures.svelte.ts';

/** Four numbers: left, top, width, height. */
export type Corners = readonly [left: number, top: number, width: number, height: number];

export interface Box {
  /** The path to the four numbers. */
  path: string;
  label: string;
  corners: Corners;
}

/** In shares of the picture, from 0 to 1. */
export interface Frame extends Box {
  shares: Corners;
}

/** More boxes hide the picture, and each is an element of the page. */
export const MOST_BOXES = 200;

/** Members of an object that hold its box, and those that name it, in the order they are tried. */
const BOX_NAMES = ['box', 'bbox', 'bounding_box', 'boundingBox'];
const LABEL_NAMES = ['label', 'name', 'class', 'category', 'title', 'text', 'type'];

interface Found {
  value: Json;
  path: string;
  /** The name of the member it was found in. */
  name: string;
}

/** The forms of a value: each reads its boxes, or returns null for a value of another form. */
const FORMS: readonly ((found: Found) => Box[] | null)[] = [aBox, anObject, aList];

/** The boxes among the members of an object, which lies at `path`. */
export function boxesIn(object: Json, path: string): Box[] {
  if (!isObject(object)) return boxesOf({ value: object, path, name: '' }).slice(0, MOST_BOXES);
  const own = anObject({ value: object, path, name: '' });
  const members = entriesOf(object).flatMap(([name, value]) =>
    own !== null && BOX_NAMES.includes(name) ? [] : boxesOf({ value, path: pathTo(path, name), name }),
  );
  return [...(own ?? []), ...members].slice(0, MOST_BOXES);
}

function boxesOf(found: Found): Box[] {
  for (const read of FORMS) {
    const boxes = read(found);
    if (boxes !== null) return boxes;
  }
  return [];
}

/** `[x, y, width, height]` */
function aBox({ value, path, name }: Found): Box[] | null {
  const corners = cornersOf(value);
  return corners === null ? null : [{ path, label: name, corners }];
}

/** `{ "label": "dent", "box": [x, y, width, height] }` */
function anObject({ value, path, name }: Found): Box[] | null {
  if (!isObject(value)) return null;
  const step = BOX_NAMES.find((key) => cornersOf(value[key]) !== null);
  const corners = step === undefined ? null : cornersOf(value[step]);
  if (step === undefined || corners === null) return null;
  const label = LABEL_NAMES.map((key) => value[key]).find((text) => typeof text === 'string');
  return [{ path: pathTo(path, step), label: typeof label === 'string' ? label.slice(0, 80) : name, corners }];
}

/** A list of the other two. */
function aList({ value, path, name }: Found): Box[] | null {
  if (!isArray(value)) return null;
  return value.slice(0, MOST_BOXES).flatMap((member, at) => {
    const found = { value: member, path: pathTo(path, at), name };
    return aBox(found) ?? anObject(found) ?? [];
  });
}

function cornersOf(value: Json | undefined): Corners | null {
  if (value === undefined || !isArray(value) || value.length !== 4) return null;
  if (!value.every((part) => kindOf(part) === 'number')) return null;
  const [left = -1, top = -1, width = 0, height = 0] = value.map((part) => Number(numberText(part)));
  return left >= 0 && top >= 0 && width > 0 && height > 0 ? [left, top, width, height] : null;
}

/** Rounding may put an edge a little outside of the picture. */
const SLACK = 1.005;

/**
 * Where the boxes lie on a picture of this size. Four numbers up to 1 are shares of it, others its pixels; a box that does not fit
 * into the picture is none.
 */
export function framesOn(boxes: readonly Box[], natural: { width: number; height: number }): Frame[] {
  if (natural.width === 0 || natural.height === 0) return [];
  return boxes.flatMap((box) => {
    const [left, top, width, height] = box.corners;
    const relative = box.corners.every((part) => part <= 1);
    const [across, down] = relative ? [1, 1] : [natural.width, natural.height];
    if (left + width > across * SLACK || top + height > down * SLACK) return [];
    return [{ ...box, shares: [left / across, top / down, width / across, height / down] as const }];
  });
}

/** Where the label of a box is, in shares of the turned picture: from its left or its right edge, with the room it has. */
interface TagPlace {
  left: number | null;
  right: number | null;
  top: number;
  room: number;
}

/** A label starts at the left edge of its box, or ends at the right edge where there is more room on that side. */
export function tagPlace(shares: Corners, turns: number): TagPlace {
  const [left, top, width] = turnedShares(shares, turns);
  const end = left + width;
  return 1 - left >= end
    ? { left, right: null, top, room: 1 - left }
    : { left: null, right: Math.max(0, 1 - end), top, room: Math.min(1, end) };
}

/** Shares of a picture after quarter turns clockwise. */
function turnedShares(shares: Corners, turns: number): Corners {
  const [left, top, width, height] = shares;
  return turns === 0 ? shares : turnedShares([1 - top - height, left, height, width], turns - 1);
}

/** The object that holds the value at `path`, with its own path; null where there is none. */
export function holderOf(root: Json, path: string): { value: Json; path: string } | null {
  let [value, at] = [root, '$'];
  for (;;) {
    const steps: [string | number, Json][] = isArray(value)
      ? value.map((member, index) => [index, member])
      : isObject(value)
        ? entriesOf(value)
        : [];
    const next = steps
      .map(([step, member]) => ({ member, path: pathTo(at, step) }))
      .find(
        (step) => path === step.path || /^[.[]/.test(path.startsWith(step.path) ? path.slice(step.path.length) : ''),
      );
    if (next === undefined) return null;
    if (next.path === path) return { value, path: at };
    [value, at] = [next.member, next.path];
  }
}

interface Picture {
  /** The path to it in its block; absent inside a text. */
  path: string | undefined;
  place: MediaPlace | null;
}

/** The boxes drawn on a picture: those beside it, or those of the suggestion on the input's one picture. */
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

/** Rows of values name their path in this attribute. */
const PATH = 'data-at';
const MARK = 'data-linked';

const within = (path: string, outer: string): boolean =>
  path === outer || (path.startsWith(outer) && /[.[]/.test(path[outer.length] ?? ''));

interface Linked {
  /** The block of values around the picture. */
  block: Element;
  /** The picture with its list of boxes, which follow the pointer and the focus by themselves. */
  picture: Element;
  boxes: readonly string[];
}

/** Tells which box the value under the pointer or the focus stands for. Returns the function that stops it. */
export function followValues({ block, picture, boxes }: Linked, onbox: (path: string | null) => void): () => void {
  const follow = ({ target }: Event) => {
    if (target instanceof Element && picture.contains(target)) return;
    const row = target instanceof Element ? target.closest(`[${PATH}]`) : null;
    const path = row?.getAttribute(PATH);
    // The row of a list of boxes stands for none of them; the row inside of a box stands for it.
    const found = boxes.filter((box) => path && (within(box, path) || within(path, box)));
    onbox(found.length === 1 ? (found[0] ?? null) : null);
  };
  const leave = () => onbox(null);
  block.addEventListener('pointerover', follow);
  block.addEventListener('focusin', follow);
  block.addEventListener('pointerleave', leave);
  return () => {
    block.removeEventListener('pointerover', follow);
    block.removeEventListener('focusin', follow);
    block.removeEventListener('pointerleave', leave);
  };
}

/** Marks the innermost row that shows the box, and no other. */
export function markValue(block: Element, box: string | null): void {
  for (const row of block.querySelectorAll(`[${MARK}]`)) row.removeAttribute(MARK);
  if (box === null) return;
  const rows = [...block.querySelectorAll(`[${PATH}]`)].filter((row) => within(box, row.getAttribute(PATH) ?? ''));
  const closest = rows.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  closest?.setAttribute(MARK, '');
}

const lengthOf = (row: Element): number => row.getAttribute(PATH)?.length ?? 0;
