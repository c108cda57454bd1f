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
