// The drawing and the table of the review session in docs/ARCHITECTURE.md show what its reducer does.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ReviewEvent } from './review-events.ts';
import { reduce } from './review-reducer.ts';
import { REVIEW_ACTIONS } from '@countersign/shared/review-actions';
import { EVENTS, EVERY_STATE, NOW } from './fixtures/review-states.fixture.ts';
import { ALLOWED, SESSION_COMMANDS, type ItemStateName, type ReviewState } from './review-state.ts';

const PAGE = readFileSync(new URL('../../../../../../docs/ARCHITECTURE.md', import.meta.url), 'utf8');
const STATES = Object.keys(ALLOWED) as ItemStateName[];
/** A cause that leads to the same state from this many is drawn once, from any state. */
const FROM_ANY = 5;

/** What leads from a state to another, in the words of the drawing. */
function causeOf(event: ReviewEvent): string {
  if (event.kind === 'answered') return `${event.job.kind} granted`.replace('decide granted', 'decision accepted');
  if (event.kind === 'refused') return `${event.job.kind} refused`.replace('decide refused', 'decision refused');
  return (
    { received: 'event', close: 'leave', editorOpened: 'edit', stopEdit: 'back', notRenewed: 'renewal refused' }[
      event.kind as string
    ] ?? event.kind
  );
}

/** A decision in flight, and a claim that is requested, belong to the command that runs. */
function isReachable({ item, command }: ReviewState): boolean {
  const job = command.at === 'running' ? command.job.kind : null;
  if (item.at === 'deciding') return job === 'decide';
  return item.at !== 'claiming' || job === 'decide' || job === 'advance';
}

/** The states that lead to a state by a cause: `claimed: peek` is `[...]`. */
function ways(): Map<string, Set<ItemStateName>> {
  const all = new Map<string, Set<ItemStateName>>();
  for (const before of EVERY_STATE.filter(isReachable))
    for (const event of EVENTS) {
      const { item } = reduce(before, event, NOW).state;
      if (item.at === before.item.at) continue;
      const way = `${item.at}: ${causeOf(event)}`;
      all.set(way, (all.get(way) ?? new Set()).add(before.item.at));
    }
  return all;
}

function drawing(): string[] {
  const arrows = new Map<string, string[]>();
  for (const [way, sources] of ways()) {
    const [to = '', cause = ''] = way.split(': ');
    for (const from of sources.size >= FROM_ANY ? ['any'] : sources)
      arrows.set(`${from} --> ${to}`, [...(arrows.get(`${from} --> ${to}`) ?? []), cause]);
  }
  const order = ['any', ...STATES];
  const at = (arrow: string) => arrow.split(' --> ').map((name) => order.indexOf(name));
  const sorted = [...arrows].sort(([a], [b]) => {
    const [[a1 = 0, a2 = 0], [b1 = 0, b2 = 0]] = [at(a), at(b)];
    return a1 - b1 || a2 - b2;
  });
  return sorted.map(([arrow, causes]) => `  ${arrow}: ${causes.sort().join(', ')}`);
}

it('the drawing shows every way from one state to another', () => {
  const block = /```mermaid\nstateDiagram-v2\n  \[\*\] --> empty\n([^`]*)\n```/.exec(PAGE)?.[1];
  expect(block?.split('\n')).toEqual(drawing());
});

it('the table shows every command that a state allows', () => {
  const always = SESSION_COMMANDS.filter((command) => STATES.every((at) => ALLOWED[at].includes(command)));
  const list = (commands: readonly string[]) =>
    commands
      .map((each) => `\`${each}\``)
      .join(', ')
      .replace(REVIEW_ACTIONS.map((action) => `\`${action}\``).join(', '), 'every action');
  const rows = [...PAGE.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, at, commands]) => [at, commands]);
  expect(/Every state allows (`[^.]*`)\./.exec(PAGE)?.[1]).toBe(list(always));
  expect(rows).toEqual(
    STATES.map((at) => [at, list(ALLOWED[at].filter((command) => !always.includes(command))) || 'nothing else']),
  );
});
