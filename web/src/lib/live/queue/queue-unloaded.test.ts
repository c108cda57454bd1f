// Counts of items beyond the loaded rows: their events are counted in any order (QU4).
import { expect, it } from 'vitest';
import { ANA, EventLog, ME, type Act } from './event-log.fixture.ts';
import { countsOf, emptyQueue, type Counts } from './queue-model.ts';
import { reduce } from './queue-state.ts';

it.each<[string, Act['what'][], Partial<Counts>]>([
  ['decided, undone and claimed again', ['claim', 'decide', 'undo', 'claim'], { all: 2, available: 1, escalated: 0 }],
  ['escalated', ['claim', 'escalate'], { all: 2, available: 1, escalated: 1 }],
  ['escalated and returned', ['claim', 'escalate', 'claim', 'return'], { all: 2, escalated: 0 }],
])('QU4: counts one that is %s', (_, acts, expected) => {
  const eventLog = new EventLog().play([
    { what: 'arrive', pick: 1, who: ME },
    { what: 'arrive', pick: 4, who: ME },
  ]);
  const whole = eventLog.snapshot();
  const [nearest] = whole.rows;
  if (nearest === undefined) throw new Error('The row is missing.');
  const counts = { available: 2, mine: 0, escalated: 0, all: 2 };
  const part = { ...whole, rows: [nearest], counts, complete: false, horizon: nearest, escalatedHorizon: nearest };
  const known = eventLog.events.length;
  const opened = reduce(emptyQueue(ME, { view: 'all', projectId: null }), {
    kind: 'snapshot',
    snapshot: part,
    last: true,
  });
  // The second of the two, which is not loaded; the only one that was decided.
  eventLog.play(acts.map((what) => ({ what, pick: what === 'undo' ? 0 : 1, who: ANA })));
  const state = reduce(opened, { kind: 'events', events: eventLog.events.slice(known) });
  expect(countsOf(state)).toMatchObject(expected);
});

it.each<[string, number, boolean]>([
  ['before an event that is applied', -1, true],
  ['after an event that is still to come', 1, true],
  ['at the same position', 0, false],
])('QU4: counts that the server took %s', (_, ahead, estimated) => {
  const eventLog = new EventLog().play(Array.from({ length: 3 }, () => ({ what: 'arrive', pick: 1, who: ME })));
  const whole = eventLog.snapshot();
  const [nearest, second] = whole.rows;
  if (nearest === undefined || second === undefined) throw new Error('The rows are missing.');
  const counts = { available: 3, mine: 0, escalated: 0, all: 3 };
  const ends = { complete: false, horizon: second, escalatedHorizon: second };
  const opened = reduce(emptyQueue(ME, { view: 'all', projectId: null }), {
    kind: 'snapshot',
    snapshot: { ...whole, rows: [nearest, second], counts, ...ends },
    last: true,
  });
  const { project_id: project } = nearest;
  const seqs = { ...whole.seqs, [project]: (whole.seqs[project] ?? 0) + ahead };
  expect(reduce(opened, { kind: 'recounted', counts, seqs }).estimated).toBe(estimated);
});
