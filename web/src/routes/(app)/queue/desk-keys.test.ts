// @vitest-environment happy-dom
// How many keys a decision costs in the flow, and that no key reaches an item which is not there yet (QU2).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenToKeys, type KeyScope } from '#lib/keyboard.ts';
import { KEYMAP } from '#lib/keys/keymap.ts';
import { projects } from '#lib/projects.svelte.ts';
import type { Project } from '@countersign/shared/api/projects';
import type { Ui } from './acts.ts';
import { commandsOf } from './commands.ts';
import { Place, stage, type Page } from './desk-page.fixture.ts';
import { PROJECT } from './desk-server.fixture.ts';
import { Reading } from './reading.svelte.ts';
import { Selection } from './selection.svelte.ts';

const place = new Place();
let stop: () => void = () => undefined;

beforeEach(() => {
  projects.list = [
    { id: PROJECT, name: 'P', reasons: ['Wrong fact', 'Wrong tone'], abilities: {} } as unknown as Project,
  ];
});
afterEach(() => {
  stop();
  projects.list = null;
});

const workOf = (page: Page) => ({
  ...page,
  reading: new Reading(),
  selection: new Selection(),
  ready: () => page.desk.busy === null,
});

/** The keys of the page, over a desk whose item was seen long enough. */
function listen(page: Page, cursor: string | null = null): void {
  const { desk } = page;
  const ui: Ui = {
    get stage() {
      return stage(desk);
    },
    cursor,
    inList: true,
    turnTo: () => undefined,
  };
  const commands = commandsOf(workOf(page), ui);
  const situation = () => {
    const scopes: KeyScope[] = ['anywhere', 'list', stage(desk) === 'decided' ? 'conflict' : 'item'];
    if (desk.asking.verb !== null || desk.asking.note !== null || desk.edit !== null) scopes.push('reasons');
    if (desk.edit !== null) scopes.push('editor');
    return { scopes, pending: desk.busy !== null, armed: true };
  };
  stop = listenToKeys({
    situation,
    can: (command) => commands.can(command),
    run: (command, event) => commands.run(command, event),
  });
}

async function press(key: string, more: KeyboardEventInit = {}, on: EventTarget = window): Promise<void> {
  on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  await vi.advanceTimersByTimeAsync(0);
}

describe('keys per decision in the flow', () => {
  it.each([
    ['approve', ['a'], { action: 'approve' }],
    ['reject', ['r', '2'], { action: 'reject', reason: 'Wrong tone' }],
    ['escalate', ['u', '1'], { action: 'escalate', reason: 'Wrong fact' }],
  ])('%s', async (_, keys, decision) => {
    const page = await place.atWork();
    listen(page);
    for (const key of keys) await press(key);
    expect(place.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
    expect([page.desk.item.id, stage(page.desk)]).toEqual(['two', 'mine']);
  });

  it('edit: two, and what is typed and why', async () => {
    const page = await place.atWork();
    listen(page);
    await press('e');
    if (page.desk.edit) page.desk.edit.text = 'Mine';
    page.desk.edit?.changed();
    await press('1');
    await press('Enter', { ctrlKey: true });
    expect(place.server.decisions).toMatchObject([{ id: 'one', action: 'edit', output: 'Mine', reason: 'Wrong fact' }]);
  });
});

describe('QU2: a key that is pressed', () => {
  it.each(['a', 'r', 'u', 's', 'q', 'e'])(
    'while the next item is on show and not granted does nothing: %s',
    async (key) => {
      const page = await place.atWork();
      listen(page);
      place.server.held.add('claim-next');
      await press('a');
      expect(stage(page.desk)).toBe('loading');
      await press(key);
      expect([stage(page.desk), page.desk.asking.verb, page.desk.edit]).toEqual(['loading', null, null]);
      place.server.letGo();
      await vi.waitFor(() => expect(stage(page.desk)).toBe('mine'));
      expect(place.server.decisions).toHaveLength(1);
    },
  );

  it('twice before the answer decides once', async () => {
    const page = await place.atWork();
    listen(page);
    place.server.held.add('decision');
    await press('a');
    await press('a');
    place.server.letGo();
    await vi.waitFor(() => expect(page.desk.item.id).toBe('two'));
    await vi.waitFor(() => expect(stage(page.desk)).toBe('mine'));
    expect(place.server.decisions.map(({ id }) => id)).toEqual(['one']);
  });
});

describe('QU2: while the item on show has not been seen', () => {
  const VERBS = KEYMAP.filter(({ verb }) => verb === true).map(({ command }) => command);

  /** What is asked for without a key: by a button, the palette or assistive technology. */
  async function commandsOn(page: Page, ready: boolean) {
    const ui: Ui = { stage: 'mine', cursor: 'two', inList: true, turnTo: () => undefined };
    await page.desk.claim('one');
    return commandsOf({ ...workOf(page), ready: () => ready }, ui);
  }

  it.each(VERBS)('nothing is done by %s', async (command) => {
    const page = await place.atWork();
    const commands = await commandsOn(page, false);
    const asked = place.server.requests.length;
    expect(commands.run(command, null)).toBe(false);
    expect([page.desk.busy, page.desk.asking.verb, page.desk.edit]).toEqual([null, null, null]);
    expect(place.server.requests).toHaveLength(asked);
  });

  it.each([true, false])(
    'nor by a reason that is clicked or written, or by taking back what is on show (%s)',
    async (ready) => {
      const page = await place.atWork();
      const commands = await commandsOn(page, ready);
      page.desk.asking.start('reject');
      commands.choose(0);
      expect(page.desk.busy).toBe(ready ? 'reject' : null);
      commands.write('My own');
      commands.takeBack();
      await vi.advanceTimersByTimeAsync(0);
      expect(place.server.decisions).toHaveLength(ready ? 1 : 0);
    },
  );
});

it('QU2: the key of undo, pressed twice as one, takes back one decision', async () => {
  const page = await place.atWork();
  listen(page);
  for (const next of ['two', 'three']) {
    await press('a');
    await vi.waitFor(() => expect([page.desk.item.id, stage(page.desk)]).toEqual([next, 'mine']));
  }
  await press('z');
  await vi.waitFor(() => expect([page.desk.item.id, stage(page.desk)]).toEqual(['two', 'mine']));
  await press('z');
  expect(page.desk.busy).toBeNull();
  expect(page.tray.entries.map(({ itemId, state }) => [itemId, state])).toEqual([
    ['two', 'undone'],
    ['one', 'made'],
  ]);
  await vi.advanceTimersByTimeAsync(500);
  await press('z');
  await vi.waitFor(() => expect(page.desk.item.id).toBe('one'));
});

it.each([
  ['one whose content is there can be copied', null, true],
  ['an emptied one cannot: there is nothing (KE2)', '2026-11-24T12:00:00.000Z', false],
])('of the suggestions of decided items %s', async (_, emptied_at, can) => {
  place.server.add('decided', { status: 'approved', emptied_at });
  const page = await place.open();
  const ui: Ui = { stage: 'decided', cursor: null, inList: true, turnTo: () => undefined };
  const commands = commandsOf(workOf(page), ui);
  await page.desk.look('decided');
  expect(commands.can('copyValue')).toBe(can);
});

describe('Enter on a decided item', () => {
  it.each([
    ['goes on', null, 'two'],
    ['goes on from its own line', 'one', 'two'],
    ['opens another line, where the focus is on that', 'three', 'three'],
  ])('%s', async (_, focused, expected) => {
    const page = await place.atWork({ flow: false });
    listen(page, focused);
    await press('a');
    expect(stage(page.desk)).toBe('decided');
    const line = document.createElement('div');
    if (focused !== null) line.dataset.line = focused;
    document.body.innerHTML = '<div id="app"></div>';
    document.querySelector('#app')?.append(line);
    await press('Enter', {}, line);
    line.remove();
    await vi.waitFor(() => expect([page.desk.item.id, stage(page.desk)]).toEqual([expected, 'mine']));
  });
});
