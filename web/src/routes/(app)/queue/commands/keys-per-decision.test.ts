// @vitest-environment happy-dom
// The number of keys per decision in Focus mode, and that no key reaches an item that is not shown yet (QU2).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listenToKeys } from '#lib/keys/key-listener.svelte.ts';
import type { KeyScope } from '#lib/keys/command.ts';
import { KEYMAP } from '#lib/keys/keymap.ts';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import type { QueueContext } from '../queue-context.ts';
import type { Ui } from './command-handler.ts';
import { commandsOf, type Commands } from './commands.ts';
import { itemCommandsOf } from './item-commands.ts';
import { ReviewFixture, stage, type Page } from '../session/fixtures/review-page.fixture.ts';
import { PROJECT } from '../session/fixtures/fake-review-server.fixture.ts';
import { newReading } from '../item/reading.svelte.ts';
import { Selection } from '../bulk/selection.svelte.ts';

const fixture = new ReviewFixture();
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

const contextOf = (page: Page) => ({
  ...page,
  reading: newReading(),
  selection: new Selection(),
  ready: () => page.reviewSession.busy === null,
});

function allCommandsOf(context: QueueContext, ui: Ui): Commands {
  const itemCommands = itemCommandsOf(context, ui);
  return commandsOf(context, ui, () => itemCommands);
}

/** The keys of the page, over a review session whose item was seen long enough. */
function listen(page: Page, cursor: string | null = null): void {
  const { reviewSession, preferences } = page;
  const ui: Ui = {
    get stage() {
      return stage(reviewSession);
    },
    cursor,
    inList: true,
    switchTo: () => undefined,
  };
  const commands = allCommandsOf(contextOf(page), ui);
  const situation = () => {
    const scopes: KeyScope[] = ['anywhere', 'list', stage(reviewSession) === 'decided' ? 'conflict' : 'item'];
    if (
      reviewSession.reasonPrompt.action !== null ||
      reviewSession.reasonPrompt.note !== null ||
      reviewSession.edit !== null ||
      preferences.digitRejects
    )
      scopes.push('reasons');
    if (reviewSession.edit !== null) scopes.push('editor');
    return { scopes, pending: reviewSession.busy !== null, actionsEnabled: true };
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

describe('keys per decision in Focus mode', () => {
  it.each([
    ['approve', ['a'], { action: 'approve' }],
    ['reject', ['r', '2'], { action: 'reject', reason: 'Wrong tone' }],
    ['escalate', ['u', '1'], { action: 'escalate', reason: 'Not sure' }],
  ])('its key, and a digit for a reason, send the decision: %s', async (_, keys, decision) => {
    const page = await fixture.openWithClaim();
    listen(page);
    for (const key of keys) await press(key);
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
    expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['two', 'mine']);
  });

  it('edit: two keys, plus the typed text and the reason', async () => {
    const page = await fixture.openWithClaim();
    listen(page);
    await press('e');
    if (page.reviewSession.edit) page.reviewSession.edit.text = 'Mine';
    page.reviewSession.edit?.changed();
    await press('Enter', { ctrlKey: true });
    expect(fixture.server.decisions).toEqual([]);
    expect(page.reviewSession.edit?.needsReason).toBe(true);
    await press('1');
    expect(fixture.server.decisions).toMatchObject([
      { id: 'one', action: 'edit', output: 'Mine', reason: 'Wrong fact' },
    ]);
  });

  it('QU2: a digit alone does nothing', async () => {
    const page = await fixture.openWithClaim();
    listen(page);
    await press('2');
    expect([fixture.server.decisions, page.reviewSession.reasonPrompt.picked]).toEqual([[], null]);
  });

  it.each([
    ['rejects with its reason', '2', [{ id: 'one', action: 'reject', reason: 'Wrong tone' }], null],
    ['asks for the own reason at the number of that', '3', [], ''],
    ['does nothing at a number without a reason', '4', [], null],
  ])('QU2: where the user wants it, a digit alone %s', async (_, key, decisions, own) => {
    const page = await fixture.openWithClaim();
    page.preferences.digitRejects = true;
    listen(page);
    await press(key);
    expect(fixture.server.decisions).toMatchObject(decisions);
    expect(page.reviewSession.reasonPrompt.own).toBe(own);
    expect(page.reviewSession.reasonPrompt.action).toBe(own === null ? null : 'reject');
  });
});

describe('QU2: a key press', () => {
  it.each(['a', 'r', 'u', 's', 'q', 'e'])(
    'does nothing while the next item is shown but not granted: %s',
    async (key) => {
      const page = await fixture.openWithClaim();
      listen(page);
      fixture.server.held.add('claim-next');
      await press('a');
      expect(stage(page.reviewSession)).toBe('loading');
      await press(key);
      expect([stage(page.reviewSession), page.reviewSession.reasonPrompt.action, page.reviewSession.edit]).toEqual([
        'loading',
        null,
        null,
      ]);
      fixture.server.releaseHeld();
      await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('mine'));
      expect(fixture.server.decisions).toHaveLength(1);
    },
  );

  it('decides once when repeated before the answer', async () => {
    const page = await fixture.openWithClaim();
    listen(page);
    fixture.server.held.add('decision');
    await press('a');
    await press('a');
    fixture.server.releaseHeld();
    await vi.waitFor(() => expect(page.reviewSession.item.id).toBe('two'));
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('mine'));
    expect(fixture.server.decisions.map(({ id }) => id)).toEqual(['one']);
  });
});

describe('QU2: while the open item has not been seen', () => {
  const GUARDED_COMMANDS = KEYMAP.filter(({ action }) => action === true).map(({ command }) => command);

  /** Runs a command without a key, as a button, the palette or assistive technology does. */
  async function commandsOn(page: Page, ready: boolean) {
    const ui: Ui = { stage: 'mine', cursor: 'two', inList: true, switchTo: () => undefined };
    await page.reviewSession.claim('one');
    return allCommandsOf({ ...contextOf(page), ready: () => ready }, ui);
  }

  it.each(GUARDED_COMMANDS)('%s does nothing while the open item has not been seen', async (command) => {
    const page = await fixture.openWithClaim();
    const commands = await commandsOn(page, false);
    const asked = fixture.server.requests.length;
    expect(commands.run(command, null)).toBe(false);
    expect([page.reviewSession.busy, page.reviewSession.reasonPrompt.action, page.reviewSession.edit]).toEqual([
      null,
      null,
      null,
    ]);
    expect(fixture.server.requests).toHaveLength(asked);
  });

  it.each([true, false])('a clicked or entered reason and an undo of the open item do nothing (%s)', async (ready) => {
    const page = await fixture.openWithClaim();
    const commands = await commandsOn(page, ready);
    page.reviewSession.reasonPrompt.start('reject');
    commands.choose(0);
    expect(page.reviewSession.busy).toBe(ready ? 'reject' : null);
    commands.write('My own');
    commands.undoCurrent();
    await vi.advanceTimersByTimeAsync(0);
    expect(fixture.server.decisions).toHaveLength(ready ? 1 : 0);
  });
});

it('QU2: the undo key, pressed twice in quick succession, undoes one decision', async () => {
  const page = await fixture.openWithClaim();
  listen(page);
  for (const next of ['two', 'three']) {
    await press('a');
    await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual([next, 'mine']));
  }
  await press('z');
  await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['two', 'mine']));
  await press('z');
  expect(page.reviewSession.busy).toBeNull();
  expect(page.recentDecisions.entries.map(({ itemId, state }) => [itemId, state])).toEqual([
    ['two', 'undone'],
    ['one', 'saved'],
  ]);
  await vi.advanceTimersByTimeAsync(500);
  await press('z');
  await vi.waitFor(() => expect(page.reviewSession.item.id).toBe('one'));
});

it.each([
  ['available while its content exists', null, true],
  ['not available once it is redacted (KE2)', '2026-11-24T12:00:00.000Z', false],
])('copying the suggestion of a decided item is %s', async (_, emptied_at, can) => {
  fixture.server.add('decided', { status: 'approved', emptied_at });
  const page = await fixture.open();
  const ui: Ui = { stage: 'decided', cursor: null, inList: true, switchTo: () => undefined };
  const commands = allCommandsOf(contextOf(page), ui);
  await page.reviewSession.peek('decided');
  expect(commands.can('copyValue')).toBe(can);
});

describe('Enter on a decided item', () => {
  it.each([
    ['opens the next item', null, 'two'],
    ['opens the next item from its own row', 'one', 'two'],
    ['opens another row that has the focus', 'three', 'three'],
  ])('%s', async (_, focused, expected) => {
    const page = await fixture.openWithClaim({ flow: false });
    listen(page, focused);
    await press('a');
    expect(stage(page.reviewSession)).toBe('decided');
    const line = document.createElement('div');
    if (focused !== null) line.dataset.line = focused;
    document.body.innerHTML = '<div id="app"></div>';
    document.querySelector('#app')?.append(line);
    await press('Enter', {}, line);
    line.remove();
    await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual([expected, 'mine']));
  });
});
