// The review session's reducer by table: every command and every event in every state leaves a valid state.
import { describe, expect, it } from 'vitest';
import type { Effect, ReviewEvent } from './review-events.ts';
import { reduce } from './review-reducer.ts';
import {
  CALLER,
  domainEvent,
  EVENT_OF,
  EVENTS,
  EVERY_STATE,
  grantedItem,
  itemWith,
  JOBS,
  NOW,
  problemsOf,
  RUNNING_CALLER,
  running,
  SAMPLES,
  stateOf,
} from './fixtures/review-states.fixture.ts';
import {
  ALLOWED,
  READING,
  SESSION_COMMANDS,
  verdictOf,
  WAITING,
  type ItemStateName,
  type ReviewState,
} from './review-state.ts';

const STATES = Object.keys(ALLOWED) as ItemStateName[];
const step = (state: ReviewState, event: ReviewEvent) => reduce(state, event, NOW);
const refused = (effects: readonly Effect[]) =>
  effects.some((effect) => effect.kind === 'finish' && effect.caller === CALLER && !effect.result);
/** Whether a command did anything: it asks for something, or the state differs. */
const acted = (before: ReviewState, { state, effects }: ReturnType<typeof step>) =>
  !refused(effects) && (effects.length > 0 || JSON.stringify(before) !== JSON.stringify(state));

describe.each(STATES)('in the state %s', (at) => {
  it.each(SESSION_COMMANDS)('%s does something exactly where the table allows it', (command) => {
    const before = stateOf(at);
    expect(acted(before, step(before, EVENT_OF[command]))).toBe(ALLOWED[at].includes(command));
  });

  it.each(SESSION_COMMANDS)('QU2: %s is refused, or waits, while another command runs', (command) => {
    const before = stateOf(at, running(JOBS.next));
    const verdict = verdictOf(before, command);
    const after = step(before, EVENT_OF[command]);
    expect(verdict).toBe(
      !ALLOWED[at].includes(command)
        ? 'refused'
        : WAITING.includes(command)
          ? 'waits'
          : READING.includes(command)
            ? 'allowed'
            : 'refused',
    );
    const waits =
      after.state.command.at === 'running' && after.state.command.waiting.some(({ caller }) => caller === CALLER);
    expect([waits, acted(before, after)]).toEqual([verdict === 'waits', verdict !== 'refused']);
    // The running command goes on, and is not sent twice.
    expect(after.state.command).toMatchObject({ at: 'running', job: JOBS.next });
    expect(after.effects.filter(({ kind }) => kind === 'send')).toEqual([]);
  });
});

it('every event in every state leaves a valid state, and tells each caller at most once', () => {
  const found: string[] = [];
  for (const state of EVERY_STATE)
    for (const event of EVENTS) {
      const where = `${state.item.at}, ${state.command.at}, ${event.kind}`;
      const after = step(state, event);
      for (const problem of problemsOf(after.state)) found.push(`${where}: ${problem}`);
      const told = after.effects.flatMap((effect) => (effect.kind === 'finish' ? [effect.caller] : []));
      if (new Set(told).size !== told.length) found.push(`${where}: a caller is told twice`);
      const still = after.state.command.at === 'running' ? after.state.command.job.caller : null;
      if (still !== null && told.includes(still)) found.push(`${where}: a running command has ended`);
      const before = state.command.at === 'running' ? state.command.job.caller : null;
      if (before !== null && still !== before && !told.includes(before)) found.push(`${where}: a caller waits forever`);
    }
  expect([...new Set(found)]).toEqual([]);
});

it('applying one event at one time to one state twice gives one result, and changes no earlier state', () => {
  for (const state of EVERY_STATE)
    for (const event of EVENTS) {
      const before = JSON.stringify(state);
      const first = step(state, event);
      expect(JSON.stringify(step(state, event))).toBe(JSON.stringify(first));
      expect(JSON.stringify(state)).toBe(before);
    }
});

describe('late and repeated answers', () => {
  const claimed = (command = running(JOBS.extend)) => stateOf('claimed', command);
  const taken = {
    kind: 'received',
    event: domainEvent('item.claimed', { expires_at: '2100-01-01T00:00:00Z' }),
  } as const;
  const granted = { ...grantedItem(itemWith()), fence: 3 };

  it('a renewal restores no claim that was lost before it was answered', () => {
    const { state: lost } = step(claimed(), taken);
    expect(lost.item.at).toBe('lost');
    expect(step(lost, { kind: 'renewed', granted }).state.item).toEqual(lost.item);
    const extended = step(lost, { kind: 'answered', job: JOBS.extend, answer: { kind: 'granted', granted } });
    expect(extended.state.item).toEqual(lost.item);
  });

  it('a second answer to the same command counts for nothing', () => {
    const answer = { kind: 'answered', job: JOBS.extend, answer: { kind: 'granted', granted } } as const;
    const { state: once } = step(claimed(), answer);
    const again = step(once, answer);
    expect([once.command.at, again.state, again.effects]).toEqual(['idle', once, []]);
  });

  it('the answer to another caller of the same command counts for nothing', () => {
    const job = { ...JOBS.extend, caller: 99 };
    const before = claimed();
    expect(step(before, { kind: 'answered', job, answer: { kind: 'granted', granted } }).state).toEqual(before);
  });

  it('I1: a decision is sent once, however often it is pressed', () => {
    const first = step(stateOf('claimed'), EVENT_OF.approve);
    const second = step(first.state, { ...EVENT_OF.approve, caller: 5 } as ReviewEvent);
    expect([first, second].map(({ effects }) => effects.filter(({ kind }) => kind === 'send').length)).toEqual([1, 0]);
    expect(second.state).toEqual(first.state);
  });

  it('a refused decision shows nothing on another item that is open by then', () => {
    const { state } = step(stateOf('claimed'), EVENT_OF.approve);
    const moved = step(state, { kind: 'peek', id: 'two', caller: 5 }).state;
    const job = moved.command.at === 'running' ? moved.command.job : JOBS.decide;
    const after = step(moved, { kind: 'refused', job, error: new Error('down') });
    expect([after.state.item, after.state.command.at]).toEqual([moved.item, 'idle']);
  });

  it('an item read for an earlier visit is not shown', () => {
    const before = stateOf('loading');
    const late = {
      kind: 'read',
      id: 'one',
      visit: 6,
      purpose: { for: 'behind' },
      again: true,
      detail: itemWith(),
    } as const;
    expect(step(before, late).state).toEqual(before);
    expect(step(before, { ...late, visit: 7 }).state.item.at).toBe('viewing');
  });

  it('an item that is read replaces no newer content, and is read once more', () => {
    const newer = itemWith({ version: 6, status: 'approved', claim: null });
    const before = { ...stateOf('viewing'), item: { ...SAMPLES.viewing, detail: newer } };
    const older = {
      kind: 'read',
      id: 'one',
      visit: 7,
      purpose: { for: 'behind' },
      again: false,
      detail: itemWith(),
    } as const;
    const first = step(before, older);
    expect([first.state, first.effects]).toMatchObject([before, [{ kind: 'read', again: true }]]);
    expect(step(first.state, { ...older, again: true }).state.item).toMatchObject({ detail: newer });
  });

  it('an item that is read while its decision is in flight is not claimed again', () => {
    const before = stateOf('deciding', running(JOBS.decide));
    const purpose = { for: 'peek', caller: CALLER } as const;
    const read = { kind: 'read', id: 'one', visit: 7, purpose, again: true, detail: itemWith() } as const;
    const after = step(before, read);
    expect([refused(after.effects), after.state.command]).toEqual([true, before.command]);
  });

  it('the undo of another item leaves the open one as it is until that is claimed', () => {
    const after = step(stateOf('claimed'), EVENT_OF.undo);
    expect([after.state.item, after.state.command]).toMatchObject([SAMPLES.claimed, { job: { kind: 'undo' } }]);
    const told = step(after.state, { kind: 'undone', caller: RUNNING_CALLER });
    expect(told.state).toEqual(after.state);
  });
});
