// Reads the figures of a project over periods: the rollups plus the events that are not counted there yet.
import { IsolationLevel } from '@mikro-orm/core';
import type { Em } from '../db/orm.ts';
import { rawQuery } from '../db/raw-query.ts';
import { piecesOf } from '../domain/analytics/calendar.ts';
import type { Figure } from '../domain/analytics/report.ts';
import { incrementsOf, type Increment, type Measure } from '../domain/analytics/rollup.ts';
import { boundKeys } from './bound-keys.ts';
import { FRESH, readUncounted } from './read-events.ts';

/** From `low` (included) to `high` (excluded), in ms, both whole minutes. */
export interface Stretch {
  low: number;
  high: number;
}

/** The end of a period without an end. */
export const EVER = Date.UTC(9999, 11, 31);

/** The figures of a project at one moment. */
export interface Figures {
  /** The sums of these measures over each period, in order. Keys without a count are omitted. */
  over(stretches: readonly Stretch[], measures: readonly Measure[]): Promise<Figure[][]>;
  /**
   * The last `seq` that the figures include, the last one of the event log, and whether more events exist than were read (AN7).
   */
  counted: { seq: number; head: number; more: boolean };
}

/** Runs `work` in one snapshot: all its figures include the same events, even if others are appended meanwhile. */
export function withFigures<T>(em: Em, projectId: string, work: (figures: Figures, em: Em) => Promise<T>): Promise<T> {
  const moment = { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true };
  return em.transactional(async (tx) => {
    const [eventLog] = await rawQuery<LogStateRow>(tx, LOG_STATE, [projectId]);
    const { events, through } = await readUncounted(tx, projectId);
    const uncounted = events.flatMap(incrementsOf).map((increment) => ({ ...increment, projectId }));
    const fresh = await boundKeys(tx, uncounted, 'rollup');
    const over: Figures['over'] = (stretches, measures) => sumsOver(tx, { projectId, fresh, stretches, measures });
    return work({ over, counted: reachOf(eventLog, through) }, tx);
  }, moment);
}

interface LogStateRow {
  seq: string;
  head: string;
  more: boolean;
}

/** Uncounted events are read as well, so only an event log that is far behind does not reach its head. */
function reachOf(eventLog: LogStateRow | undefined, through: number): Figures['counted'] {
  const [seq, head] = [Number(eventLog?.seq), Number(eventLog?.head)];
  return { seq: head - seq <= FRESH ? head : Math.max(seq, through), head, more: eventLog?.more ?? false };
}

/** More than `FRESH` events without a sequence number means that the relay has stopped. */
const LOG_STATE = `
  select rollup_seq as seq, event_seq as head,
    exists (select 1 from event where seq is null and project_id = $1 offset ${FRESH}) as more
  from project where id = $1`;

interface SumsRequest {
  projectId: string;
  /** Increments that the rollups do not include yet. */
  fresh: readonly Increment[];
  stretches: readonly Stretch[];
  measures: readonly Measure[];
}

/** Reads each piece by the primary key, however old the project is: `offset 0` keeps the planner from reading the whole table. */
const SUMS = `
  select p.place, m.measure, r.key, sum(r.n) as n, sum(r.part) as part, sum(r.total) as total
  from json_to_recordset($2::json) as p(place int, grain text, low timestamptz, high timestamptz)
  cross join json_array_elements_text($3::json) as m(measure)
  cross join lateral (
    select key, n, part, total from rollup
    where project_id = $1 and measure = m.measure and grain = p.grain and at >= p.low and at < p.high offset 0
  ) r
  group by 1, 2, 3`;

async function sumsOver(em: Em, { projectId, fresh, stretches, measures }: SumsRequest): Promise<Figure[][]> {
  const pieces = stretches.flatMap(({ low, high }, place) =>
    piecesOf(low, high).map((piece) => ({ place, grain: piece.grain, low: iso(piece.low), high: iso(piece.high) })),
  );
  const rows = await rawQuery<
    { place: number; measure: Measure; key: string } & Record<'n' | 'part' | 'total', string>
  >(em, SUMS, [projectId, JSON.stringify(pieces), JSON.stringify(measures)]);
  const sums = stretches.map(() => new Map<string, Figure>());
  for (const { place, n, part, total, ...of } of rows)
    addTo(sums[place], { ...of, n: Number(n), part: Number(part), total: Number(total) });
  for (const { at, ...figure } of fresh.filter(({ measure }) => measures.includes(measure)))
    stretches.forEach(({ low, high }, place) => at >= low && at < high && addTo(sums[place], figure));
  return sums.map((figures) => [...figures.values()]);
}

const iso = (at: number): string => new Date(at).toISOString();

/** Mutates `sums`. */
function addTo(sums: Map<string, Figure> | undefined, { measure, key, n, part, total }: Figure): void {
  const place = `${measure} ${key}`;
  const sum = sums?.get(place);
  if (sum === undefined) sums?.set(place, { measure, key, n, part, total });
  else Object.assign(sum, { n: sum.n + n, part: sum.part + part, total: sum.total + total });
}
