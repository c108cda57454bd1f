// Each guard of the review session's transitions: what arrives for another item, command or claim changes nothing.
import { describe, expect, it } from 'vitest';
import { ApiProblem, NetworkFailure } from '#lib/api/client.ts';
import type { ReviewEvent } from './review-events.ts';
import { reduce } from './review-reducer.ts';
import {
  CALLER,
  domainEvent,
  grantedItem,
  itemWith,
  JOBS,
  NOW,
  running,
  SAMPLES,
  stateOf,
} from './fixtures/review-states.fixture.ts';
import { EMPTY_PROMPT, type CommandState, type ItemState, type Job, type ReviewState } from './review-state.ts';

const step = (state: ReviewState, event: ReviewEvent) => reduce(state, event, NOW);
const kinds = (state: ReviewState, event: ReviewEvent) => step(state, event).effects.map(({ kind }) => kind);
const of = (item: ItemState, command: CommandState = { at: 'idle' }): ReviewState => ({
  ...stateOf('empty', command),
  item,
});
const refused = (job: Job, code: string): ReviewEvent => ({
  kind: 'refused',
  job,
  error: new ApiProblem({ code, status: 409 } as ConstructorParameters<typeof ApiProblem>[0], null),
});

/** The samples are of the item `one`. */
const two = itemWith({ id: 'two' });
const edit = { item: { id: 'two' } } as unknown as typeof SAMPLES.editing.edit;
const OTHER = {
  viewing: { ...SAMPLES.viewing, id: 'two', detail: itemWith({ id: 'two', claim: null }) },
  claimed: { ...SAMPLES.claimed, id: 'two', detail: two },
  editing: { ...SAMPLES.editing, id: 'two', detail: two, edit },
  unreadable: { ...SAMPLES.unreadable, id: 'two' },
} as const;
const rereading: CommandState = {
  ...{ at: 'running', job: JOBS.open, phase: { at: 'rereading', result: false, failure: null } },
  ...{ waiting: [], moves: 0, missed: {} },
};
const read = { kind: 'read', id: 'one', visit: 7, again: true, detail: itemWith({ version: 9 }) } as const;
const notes = { note: 'Saved', own: '' };
const openPrompt = { ...EMPTY_PROMPT, openFields: { own: true, note: false }, notes: { note: '', own: 'Typed' } };

const UNCHANGED: [string, ReviewState, ReviewEvent][] = [
  [
    'a response to a command that reads its item again',
    of(SAMPLES.claimed, rereading),
    { kind: 'answered', job: JOBS.open, answer: { kind: 'granted', granted: grantedItem(itemWith({ version: 9 })) } },
  ],
  [
    'a second response to the decision that the running claim of the next item follows',
    of(SAMPLES.claiming, running(JOBS.advance)),
    { ...refused(JOBS.decide, 'claim_lost') },
  ],
  ['a release of another item', of(OTHER.claimed, running(JOBS.skip)), { kind: 'released', id: 'one' }],
  ['a read of another item', of(OTHER.viewing), { ...read, purpose: { for: 'refresh' } }],
  [
    'a read of another item that failed',
    of(OTHER.claimed),
    { ...{ kind: 'unread', id: 'one', visit: 7, again: true }, purpose: { for: 'reread' }, error: new Error('down') },
  ],
  [
    'a failed read of an earlier visit',
    of(SAMPLES.claimed),
    { ...{ kind: 'unread', id: 'one', visit: 6, again: true }, purpose: { for: 'reread' }, error: new Error('down') },
  ],
  ['an item of a response for another one', of(OTHER.viewing), { kind: 'replaced', detail: itemWith({ version: 9 }) }],
  [
    'notes restored while a field is open',
    of({ ...SAMPLES.claimed, prompt: openPrompt }),
    { kind: 'notesRestored', id: 'one', notes },
  ],
  ['notes restored for another item', of(OTHER.claimed), { kind: 'notesRestored', id: 'one', notes }],
  [
    'an editor that opened for another item',
    of(OTHER.claimed),
    { kind: 'editorOpened', id: 'one', edit: SAMPLES.editing.edit, moved: true },
  ],
  [
    'an editor that opened for an item that is not held',
    of(SAMPLES.viewing),
    { kind: 'editorOpened', id: 'one', edit: SAMPLES.editing.edit, moved: false },
  ],
  ['a text of another item that was saved', of(OTHER.claimed), { kind: 'saved', id: 'one', persisted: false }],
  ['drafts of another item that changed', of(OTHER.claimed), { kind: 'draftsChanged', id: 'one', notes }],
  [
    'the delay of an earlier visit',
    of({ ...SAMPLES.loading, previous: itemWith({ id: 'zero' }) }),
    { kind: 'blank', visit: 6 },
  ],
  [
    'a refused renewal of an earlier claim',
    of(SAMPLES.claimed),
    { kind: 'notRenewed', id: 'one', grant: { ...SAMPLES.claimed.grant }, refused: true },
  ],
  [
    'a refused renewal of another item',
    of(OTHER.claimed),
    { kind: 'notRenewed', id: 'one', grant: SAMPLES.claimed.grant, refused: true },
  ],
];
it.each(UNCHANGED)('an event that does not apply changes nothing: %s', (_, before, event) => {
  const state = { ...before, visit: 7 };
  const after = step(state, event).state;
  expect({ ...after, renewing: false }).toEqual(state);
});

describe('a command', () => {
  it('is not ended by the read of another one', () => {
    const state = { ...of(SAMPLES.claimed, running(JOBS.extend)), visit: 7 };
    expect(step(state, { ...read, purpose: { for: 'reread' } }).state.command).toEqual(state.command);
  });

  it('brings the very item the user moved to', () => {
    const state = { ...of(SAMPLES.viewing, running(JOBS.open)), moves: 1 };
    const granted = grantedItem(itemWith({ version: 9 }));
    const after = step(state, { kind: 'answered', job: JOBS.open, answer: { kind: 'granted', granted } });
    expect(after.state.item.at).toBe('claimed');
  });

  it('releases an item, and another one stays open', () => {
    const state = of(OTHER.viewing, running(JOBS.giveBack));
    const after = step(state, { kind: 'answered', job: JOBS.giveBack, answer: { kind: 'done' } });
    expect(after.state.item).toEqual(OTHER.viewing);
  });

  it('saves the editor before it releases its item', () => {
    expect(kinds(of(SAMPLES.editing), { kind: 'giveBack', caller: CALLER })).toContain('saveEdit');
  });

  it('finds no next item, and closes only a completed one', () => {
    const job = { ...JOBS.advance, shown: null };
    const event: ReviewEvent = { kind: 'answered', job, answer: { kind: 'granted', granted: null } };
    expect(kinds(stateOf('empty', running(job)), event)).not.toContain('follow');
  });

  it.each(['advance', 'extend'] as const)('a command that failed for an item left shows no failure: %s', (kind) => {
    const job = JOBS[kind];
    const after = step(of(OTHER.claimed, running(job)), { kind: 'refused', job, error: new NetworkFailure('timeout') });
    expect([after.state.command, after.state.item]).toEqual([{ at: 'idle' }, OTHER.claimed]);
  });

  it('a command that could not renew an earlier claim does not end the present one', () => {
    const claimed = { ...SAMPLES.claimed, grant: { ...SAMPLES.claimed.grant, fence: 9 } };
    const after = step(of(claimed, running(JOBS.extend)), refused(JOBS.extend, 'claim_lost'));
    expect(after.state.item.at).toBe('claimed');
  });

  it('a command that renews a lease which has ended claims the item again', () => {
    const ended = { ...SAMPLES.claimed, grant: { ...SAMPLES.claimed.grant, expiresAt: NOW } };
    const { command } = step(of(ended), { kind: 'extend', caller: CALLER }).state;
    expect(command).toMatchObject({ at: 'running', job: { kind: 'open', id: 'one' } });
  });

  it('whose decision was refused for its claim loses the claim', () => {
    const after = step(of(SAMPLES.deciding, running(JOBS.decide)), refused(JOBS.decide, 'claim_lost'));
    expect(after.state.item.at).toBe('lost');
  });

  it('whose claim was lost while its decision was in flight restores no claim', () => {
    const deciding = { ...SAMPLES.deciding, lost: true };
    const error = new NetworkFailure('timeout');
    const after = step(of(deciding, running(JOBS.decide)), { kind: 'refused', job: JOBS.decide, error });
    expect(after.state.item.at).toBe('lost');
  });

  it('a command that failed for another cause than the connection stays failed after an interruption', () => {
    const failed: CommandState = { at: 'failed', error: new Error('500'), retry: JOBS.open };
    expect(step(of(SAMPLES.viewing, failed), { kind: 'resync' }).state.command).toEqual(failed);
  });

  it('whose decision was accepted changes no other item that is open', () => {
    const answer = { kind: 'decided', after: itemWith({ version: 6 }), request: JOBS.decide.decision.request } as const;
    const after = step(of(OTHER.unreadable, running(JOBS.decide)), { kind: 'answered', job: JOBS.decide, answer });
    expect(after.state.item).toEqual(OTHER.unreadable);
    const typing = step(of(OTHER.editing, running(JOBS.decide)), { kind: 'answered', job: JOBS.decide, answer });
    expect(typing.state.item).toEqual(OTHER.editing);
  });
});

describe('an item', () => {
  it('an item that is left saves its editor, also when a refused command leaves it', () => {
    const open = { ...JOBS.open, id: 'three' };
    const effects = step(of(OTHER.editing, running(open)), refused(open, 'forbidden')).effects;
    expect(effects).toContainEqual({ kind: 'saveEdit', edit });
  });

  it('begins with an empty prompt', () => {
    const prompt = { ...openPrompt, picked: 'Wrong fact', action: 'reject' } as const;
    const after = step(of({ ...SAMPLES.claimed, prompt }), { kind: 'peek', id: 'two', caller: CALLER });
    expect(after.state.item).toMatchObject({ id: 'two', prompt: EMPTY_PROMPT });
  });

  it('an item that is claimed again is not released', () => {
    const granted = grantedItem(itemWith({ version: 9 }));
    const event: ReviewEvent = { kind: 'answered', job: JOBS.open, answer: { kind: 'granted', granted } };
    expect(kinds(of(SAMPLES.claimed, running(JOBS.open)), event)).not.toContain('releaseUntouched');
  });

  it('is not claimed by the read of another one', () => {
    const event = { ...read, purpose: { for: 'peek', caller: CALLER } } as const;
    expect(step(of(OTHER.claimed), event).state.command).toEqual({ at: 'idle' });
  });

  it('is changed by no older event, and its claim is not lost by an own decision', () => {
    const older = domainEvent('claim.expired', { version: 5 });
    expect(step(of(SAMPLES.claimed), { kind: 'received', event: older }).state.item).toEqual(SAMPLES.claimed);
    const own = domainEvent('item.decided', { actor: { kind: 'member', id: 'me', name: 'Me' } });
    expect(step(of(SAMPLES.claimed), { kind: 'received', event: own }).state.item.at).toBe('claimed');
  });

  it('closes its editor when somebody else holds it', () => {
    const event = domainEvent('item.claimed', { expires_at: '2100-01-01T00:00:00Z' });
    expect(step(of(SAMPLES.editing), { kind: 'received', event }).state.item.at).toBe('lost');
  });

  it('stays as it looks while the claim of the next one is requested', () => {
    const event: ReviewEvent = { kind: 'released', id: 'one' };
    expect(step(of(SAMPLES.claiming, running(JOBS.advance)), event).state.item).toEqual(SAMPLES.claiming);
  });
});

it('one renewal is in flight at a time', () => {
  const grant = { ...SAMPLES.claimed.grant, leaseMs: 90_000 };
  const state = of({ ...SAMPLES.claimed, grant });
  const heartbeat = { kind: 'heartbeat', visible: true, inputAt: NOW } as const;
  expect(kinds(state, heartbeat)).toEqual(['renew']);
  expect(kinds({ ...state, renewing: true }, heartbeat)).toEqual([]);
});
