// The times in the tables under the plots are those of the plots: in the zone of the project (AN6).
import { expect, it } from 'vitest';
import type { PlotTable } from '#lib/components/charts/table.ts';
import { depthTable, flowTable, timeBucketsTable } from './tables.ts';

const start = Date.parse('2026-03-01T10:00:00.000Z');
const end = start + 3_600_000;
const step = { start, end, enqueued: 1, decided: 0, queued: 1, escalated: 0, partial: false };

/** Of the first row: the times that are shown, and those of the file. */
const timesOf = ({ rows }: PlotTable) => (rows[0] ?? []).slice(0, 2) as { value: string; shown: string }[];

it.each([
  ['Asia/Kathmandu', /3:45|15:45/],
  ['America/New_York', /5:00/],
])('AN6: show the times of a project in %s in that zone, and write them in UTC', (zone, first) => {
  const tables = [
    flowTable([step], zone),
    depthTable([step], zone),
    timeBucketsTable([{ start, end, n: 0, times: null }], zone),
  ];
  for (const table of tables) {
    const [from, to] = timesOf(table);
    expect(from?.shown).toMatch(first);
    expect(to?.shown).not.toMatch(first);
    expect([from?.value, to?.value]).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T11:00:00.000Z']);
  }
});
