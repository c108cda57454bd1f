// The kinds a project fixed, by JSON pointer: `/rows/0/body`, with `*` for any step; empty for the whole value.
import { stepsOf as stepsOfPointer } from '@countersign/shared/json/json-pointer';
import type { ContentKind } from '@countersign/shared/enums';
import type { Kind } from '../classify.ts';

export type FixedKinds = Readonly<Record<string, Kind>>;

/** The kinds that a project names otherwise. */
const KIND_OF: Readonly<Partial<Record<ContentKind, Kind>>> = {
  tool_call: 'call',
  image: 'media',
  audio: 'media',
  video: 'media',
  pdf: 'media',
};

/** The kinds that a project fixed for one part of its items, by pointers that start at this part. */
export function kindsOf(
  fixed: Readonly<Record<string, ContentKind>>,
  part: 'input' | 'suggestion',
): Record<string, Kind> {
  const start = `/${part}`;
  return Object.fromEntries(
    Object.entries(fixed)
      .filter(([pointer]) => pointer === start || pointer.startsWith(`${start}/`))
      .map(([pointer, kind]) => [pointer.slice(start.length), KIND_OF[kind] ?? (kind as Kind)]),
  );
}

const STEP = /\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

/** The steps of a path such as `$.a[0]["odd key"]`. */
const stepsOf = (path: string): string[] =>
  [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    quoted === undefined ? (name ?? index ?? '') : (JSON.parse(quoted) as string),
  );

/** The kind fixed for the value at a path. An exact pointer wins over one with `*`. */
export function kindAt(kinds: FixedKinds, path: string): Kind | undefined {
  const pointers = Object.keys(kinds);
  if (pointers.length === 0) return undefined;
  const steps = stepsOf(path);
  const fits = pointers.filter((pointer) => {
    const wanted = stepsOfPointer(pointer);
    return wanted.length === steps.length && wanted.every((step, at) => step === '*' || step === steps[at]);
  });
  const best = fits.find((pointer) => !stepsOfPointer(pointer).includes('*')) ?? fits[0];
  return best === undefined ? undefined : kinds[best];
}
