// Which values are boxes on a picture, in which units, and on which picture they are drawn (MP8).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../json/lossless.ts';
import type { MediaPlace } from '../pictures.svelte.ts';
import { boxesFor, boxesIn, framesOn, holderOf, MOST_BOXES, tagPlace } from './boxes.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const read = (text: string) => boxesIn(parseJson(text), '$').map(({ path, label, corners }) => [path, label, corners]);

describe('MP8: a box', () => {
  it.each([
    ['{"picture":"x","damage":[1,2,3,4]}', [['$.damage', 'damage', [1, 2, 3, 4]]]],
    ['{"bbox":[1.0,2,3,4],"label":"dent"}', [['$.bbox', 'dent', [1, 2, 3, 4]]]],
    [
      '{"found":[{"label":"dent","box":[1,2,3,4]},{"boundingBox":[0.1,0.1,0.2,0.2]}]}',
      [
        ['$.found[0].box', 'dent', [1, 2, 3, 4]],
        ['$.found[1].boundingBox', 'found', [0.1, 0.1, 0.2, 0.2]],
      ],
    ],
    [
      '{"boxes":[[1,2,3,4],[5,6,7,8]]}',
      [
        ['$.boxes[0]', 'boxes', [1, 2, 3, 4]],
        ['$.boxes[1]', 'boxes', [5, 6, 7, 8]],
      ],
    ],
    ['{"three":[1,2,3],"five":[1,2,3,4,5],"words":["1","2","3","4"],"flat":[1,2,0,4],"before":[-1,2,3,4]}', []],
    ['{"constructor":{"box":"no"},"__proto__":[1,2,3,4]}', [['$.__proto__', '__proto__', [1, 2, 3, 4]]]],
  ])('%s', (text, boxes) => expect(read(text)).toEqual(boxes));

  it('is one of at most 200', () => {
    expect(boxesIn({ all: Array.from({ length: 900 }, () => [1, 2, 3, 4]) }, '$')).toHaveLength(MOST_BOXES);
  });
});

describe('MP8: on the picture', () => {
  const natural = { width: 200, height: 100 };
  const sharesOf = (corners: readonly [number, number, number, number]) =>
    framesOn([{ path: '$', label: '', corners }], natural).map(({ shares }) => shares);

  it.each([
    ['pixels', [50, 50, 100, 25], [[0.25, 0.5, 0.5, 0.25]]],
    ['shares', [0.25, 0.5, 0.5, 0.25], [[0.25, 0.5, 0.5, 0.25]]],
    ['all of it', [0, 0, 1, 1], [[0, 0, 1, 1]]],
    ['pixels beyond its edge', [150, 0, 100, 10], []],
    ['shares beyond its edge', [0.9, 0, 0.2, 0.1], []],
  ] as const)('%s', (_, corners, shares) => expect(sharesOf(corners)).toEqual(shares));

  it('nothing is drawn before its size is known', () => {
    expect(framesOn([{ path: '$', label: '', corners: [0, 0, 1, 1] }], { width: 0, height: 0 })).toEqual([]);
  });
});

describe('MP8: the label of a box', () => {
  const corner = [0.75, 0, 0.25, 0.5] as const;
  it.each([
    ['starts with a box on the left', [0.25, 0.5, 0.25, 0.25], 0, { left: 0.25, right: null, top: 0.5, room: 0.75 }],
    ['ends with a box on the right', corner, 0, { left: null, right: 0, top: 0, room: 1 }],
    ['follows a quarter turn', corner, 1, { left: null, right: 0, top: 0.75, room: 1 }],
    ['follows half a turn', corner, 2, { left: 0, right: null, top: 0.5, room: 1 }],
    ['follows three quarters', corner, 3, { left: 0, right: null, top: 0, room: 1 }],
    ['starts with a box of the whole width', [0, 0, 1, 1], 0, { left: 0, right: null, top: 0, room: 1 }],
  ] as const)('%s', (_, shares, turns, place) => expect(tagPlace(shares, turns)).toEqual(place));

  it('by property: lies inside of the picture', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(share, share, share, share), fc.nat(3), ([left, top, width, height], turns) => {
        const box = [left, top, width * (1 - left), height * (1 - top)] as const;
        const place = tagPlace(box, turns);
        const across = (place.left ?? place.right ?? 0) + place.room;
        expect(across).toBeLessThanOrEqual(1 + 1e-9);
        expect(place.room).toBeGreaterThanOrEqual(0.5 - 1e-9);
        expect(Math.min(place.top, place.left ?? 0, place.right ?? 0)).toBeGreaterThanOrEqual(-1e-9);
      }),
    );
  });
});

describe('MP8: the picture', () => {
  const place = (suggestion: MediaPlace['suggestion']) => ({ suggestion }) as MediaPlace;
  const input = { photo: PIXEL, side: { photo: 'none', box: [5, 6, 7, 8] } };
  const boxes = { dents: [[1, 2, 3, 4]] };
  const pathsFor = (...args: Parameters<typeof boxesFor>) => boxesFor(...args).map(({ path }) => path);

  it('is held by an object, also behind odd names', () => {
    const root = { a: [{ 'odd key': { photo: PIXEL } }], ab: 1 };
    expect(holderOf(root, '$.a[0]["odd key"].photo')).toEqual({ value: { photo: PIXEL }, path: '$.a[0]["odd key"]' });
    expect(holderOf(root, '$.b')).toBeNull();
  });

  it('has the boxes beside it', () => {
    expect(
      pathsFor({ value: { photo: PIXEL, box: [1, 2, 3, 4] }, reference: undefined }, { path: '$.photo', place: null }),
    ).toEqual(['$.box']);
  });

  it('has those of the suggestion where it is the only one of the input, and the suggestion has none', () => {
    const of = { path: '$.photo', place: place(boxes) };
    const one = { photo: PIXEL };
    expect(pathsFor({ value: one, reference: undefined }, of)).toEqual(['$.dents[0]']);
    expect(pathsFor({ value: { ...one, second: PIXEL }, reference: undefined }, of)).toEqual([]);
    expect(pathsFor({ value: one, reference: input }, of)).toEqual([]);
    expect(pathsFor({ value: one, reference: undefined }, { ...of, place: place({ ...boxes, photo: PIXEL }) })).toEqual(
      [],
    );
  });
});
