// Boxes on a picture: one table of the forms in which values beside it say where something is (MP8).
import type { Json } from '@countersign/shared/json/json';
import { pathTo } from '../../json/json-tree.ts';
import { entriesOf, isArray, isObject, kindOf, numberText } from '../../json/lossless.ts';

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
