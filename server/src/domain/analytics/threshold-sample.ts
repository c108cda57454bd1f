// Groups counted rows into the sample for what-if thresholds (AN23), with flags folded as in routing.
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import { dispersion } from '@countersign/shared/statistics/statistics';
import type { BelowReview, RoutingRule } from '@countersign/shared/enums';
import { foldFlag } from '@countersign/shared/formats/fold-flag';

/** Items that arrived alike: one confidence, the same flags, routed by the same rule of the same settings version. */
export interface Cohort {
  confidence: number;
  flags: readonly string[];
  rule: RoutingRule;
  settingsVersion: number;
  /** Only a person may decide it (RT8). */
  needsPerson: boolean;
  /** Which of the equal periods of the window it is in, to measure the correlation of neighbours. */
  block: number;
}

export interface SampleRows {
  arrivals: readonly (Cohort & { arrived: number })[];
  /** Decided by people: approved, edited or rejected; `wrong`: not approved. */
  decisions: readonly (Cohort & { reviewed: number; wrong: number })[];
  /** The relevant settings of each settings version in the rows. */
  versions: ReadonlyMap<number, { audit_rate: number; below_review: BelowReview }>;
  escalateFlags: readonly string[];
}

type Sample = Pick<ThresholdSample, 'flags' | 'flag_sets' | 'kinds' | 'cells' | 'dispersion'>;
type Kind = Sample['kinds'][number];

const BELOW = { reject: 'refused', queue: 'queued', escalate: 'escalated' } as const;

const NEEDS_PERSON = { kind: 'needs_person', audit_rate: null } as const;

/**
 * A decision on an auto-approved item is an audit. A rejected item that was
 * reopened was selected by a person, so it represents only itself.
 */
const KIND_OF = {
  RT1: () => ({ kind: 'escalated', audit_rate: null }),
  RT2: ({ audit_rate }) => ({ kind: 'automatic', audit_rate }),
  RT3: () => ({ kind: 'queued', audit_rate: null }),
  RT7: () => ({ kind: 'queued', audit_rate: null }),
  RT8: () => NEEDS_PERSON,
  RT4: ({ below_review }) => ({ kind: BELOW[below_review], audit_rate: null }),
} as const satisfies Record<RoutingRule, (version: { audit_rate: number; below_review: BelowReview }) => Kind>;

export function sampleOf(rows: SampleRows): Sample {
  const flags = flagsOf(rows);
  const places = new Map(flags.map(({ flag }, place) => [foldFlag(flag), place]));
  const sets = new Numbered<number[]>();
  const kinds = new Numbered<Kind>();
  const cells = new Map<string, Sample['cells'][number]>();
  const cellOf = (row: Cohort) => {
    const set = [...new Set(row.flags.map((flag) => places.get(foldFlag(flag)) ?? 0))].sort((a, b) => a - b);
    const version = rows.versions.get(row.settingsVersion) ?? { audit_rate: 0, below_review: 'reject' };
    const kind = row.needsPerson ? NEEDS_PERSON : KIND_OF[row.rule](version);
    const key = [row.confidence, sets.place(set), kinds.place(kind)] as const;
    const cell = cells.get(key.join()) ?? [...key, 0, 0, 0];
    cells.set(key.join(), cell);
    return { cell, chosen: kind.kind === 'refused' };
  };
  for (const row of rows.arrivals) cellOf(row).cell[3] += row.arrived;
  for (const row of rows.decisions) {
    const { cell, chosen } = cellOf(row);
    if (chosen) continue;
    cell[4] += row.reviewed;
    cell[5] += row.wrong;
  }
  return {
    flags,
    flag_sets: sets.all,
    kinds: kinds.all,
    cells: [...cells.values()].sort((a, b) => a[0] - b[0]),
    dispersion: {
      arrivals: meanDispersion(rows.arrivals.map((row) => ({ ...row, n: row.arrived, k: row.arrived }))),
      wrong: meanDispersion(rows.decisions.map((row) => ({ ...row, n: row.reviewed, k: row.wrong }))),
    },
  };
}

/** The dispersion over time is computed at this many confidences. */
const CUTS = 20;
/** With fewer items per block than this, blocks differ by chance alone. */
const LEAST = 10;

/** AN24: how `k` at or above a confidence varies over the blocks, as the mean over confidences; 1 with too little data. */
function meanDispersion(rows: readonly { confidence: number; block: number; n: number; k: number }[]): number {
  const blocks = Map.groupBy(rows, ({ block }) => block);
  const n = rows.reduce((sum, row) => sum + row.n, 0);
  if (n < LEAST * blocks.size) return 1;
  const found = cutsOf(rows).flatMap((cut) => {
    const counted = [...blocks.values()].map((block) => ({
      n: block.reduce((sum, row) => sum + row.n, 0),
      k: block.reduce((sum, row) => sum + (row.confidence >= cut ? row.k : 0), 0),
    }));
    return dispersion(counted) ?? [];
  });
  return found.length === 0 ? 1 : found.reduce((sum, one) => sum + one, 0) / found.length;
}

/** Confidences that are spread evenly over the distinct ones. */
function cutsOf(rows: readonly { confidence: number }[]): number[] {
  const distinct = [...new Set(rows.map(({ confidence }) => confidence))].sort((a, b) => a - b);
  const step = Math.max(1, distinct.length / CUTS);
  return distinct.filter((_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step));
}

/**
 * Each flag once however it is spelled, in the spelling of the project or else
 * of its first item: escalate flags first, then by count.
 */
function flagsOf({ arrivals, decisions, escalateFlags }: SampleRows): Sample['flags'] {
  const found = new Map(escalateFlags.map((flag) => [foldFlag(flag), { flag, escalates: true, arrived: 0 }]));
  for (const { flags, ...row } of [...arrivals, ...decisions]) {
    const once = new Map(flags.map((flag) => [foldFlag(flag), flag]));
    for (const [key, flag] of once) {
      const known = found.get(key) ?? { flag, escalates: false, arrived: 0 };
      found.set(key, { ...known, arrived: known.arrived + ('arrived' in row ? row.arrived : 0) });
    }
  }
  return [...found.values()].sort((a, b) => Number(b.escalates) - Number(a.escalates) || b.arrived - a.arrived);
}

/** Assigns an index to each value that is distinct as JSON, in the order of insertion. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #places = new Map<string, number>();

  place(thing: T): number {
    const key = JSON.stringify(thing);
    const place = this.#places.get(key) ?? this.all.push(thing) - 1;
    this.#places.set(key, place);
    return place;
  }
}
