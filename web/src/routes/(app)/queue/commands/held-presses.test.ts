// @vitest-environment happy-dom
// QU2: no key of an open item is lost or gets another meaning because it came before the item's actions were enabled.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { KeyScope } from '#lib/keys/command.ts';
import { listenToKeys } from '#lib/keys/key-listener.svelte.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import { Selection } from '../bulk/selection.svelte.ts';
import { newReading } from '../item/reading.svelte.ts';
import { PROJECT } from '../session/fixtures/fake-review-server.fixture.ts';
import { ReviewFixture, stage, type Page } from '../session/fixtures/review-page.fixture.ts';
import type { Ui } from './command-handler.ts';
import { commandsOf } from './commands.ts';
import { HeldPresses } from './held-presses.ts';
import { InputGuard } from './input-guard.svelte.ts';
import { itemCommandsOf } from './item-commands.ts';

const fixture = new ReviewFixture();
let frames: (() => void)[];
let stop: () => void = () => undefined;
let now: number;

beforeEach(() => {
  projects.list = [
    { id: PROJECT, name: 'P', reasons: ['Wrong fact', 'Wrong tone'], abilities: {} } as unknown as Project,
  ];
  frames = [];
  now = 1000;
  vi.stubGlobal('requestAnimationFrame', (drawn: () => void) => frames.push(drawn));
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  projects.list = null;
  document.body.innerHTML = '';
});

/** The keys of the page with its guard: an item counts as loaded as soon as it is there. */
function listen(page: Page) {
  const { reviewSession, preferences } = page;
  const guard = new InputGuard();
  const observe = () =>
    guard.observe({ id: reviewSession.item.id, loaded: reviewSession.item.detail?.id === reviewSession.item.id });
  reviewSession.onItemChange = (id, how) => {
    guard.setItem(id, how === 'advanced');
    observe();
  };
  const ready = () => guard.has(reviewSession.item.id) && reviewSession.busy === null;
  const context = { ...page, reading: newReading(), selection: new Selection(), ready };
  const held = new HeldPresses(context, () => guard.decidableFrom);
  const ui: Ui = {
    get stage() {
      return stage(reviewSession);
    },
    ...{ cursor: null, inList: true, switchTo: () => undefined },
  };
  const itemCommands = itemCommandsOf(context, ui);
  const commands = commandsOf(context, ui, () => itemCommands);
  const situation = () => {
    const scopes: KeyScope[] = ['anywhere', 'list', 'item'];
    if (reviewSession.reasonPrompt.action !== null || preferences.digitRejects) scopes.push('reasons');
    return { scopes, pending: reviewSession.busy !== null, actionsEnabled: guard.has(reviewSession.item.id) };
  };
  stop = listenToKeys({
    situation,
    can: (command) => commands.can(command),
    run: (command, event) => commands.run(command, event),
    hold: (event, command) => {
      guard.noteTask();
      return held.hold(event, command);
    },
  });
  /** Lets the timers run, and what waits on them: the page does so in an effect. */
  const settle = async (ms = 0) => {
    for (let round = 0; round < 4; round += 1) {
      await vi.advanceTimersByTimeAsync(round === 0 ? ms : 1);
      if (ready()) void held.release();
    }
    await vi.advanceTimersByTimeAsync(1);
  };
  return { ...page, observe, settle };
}

/** A press on the element that has the focus, `ms` after the last one. */
function press(key: string, ms = 5): void {
  now += ms;
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
  Object.defineProperty(event, 'timeStamp', { value: now });
  (document.activeElement ?? document.body).dispatchEvent(event);
}

function drawFrame(): void {
  now += 20;
  for (const drawn of frames.splice(0)) drawn();
}

const opened = async () => {
  const page = listen(await fixture.open());
  await page.reviewSession.claim('one');
  return page;
};

/** Every action with its key that asks for a reason, and the digit of one. */
const ASKED: [keys: [string, string], decision: object][] = [
  [['r', '2'], { action: 'reject', reason: 'Wrong tone' }],
  [['u', '1'], { action: 'escalate', reason: 'Not sure' }],
];

describe.each(ASKED)('QU2: the keys %j', ([action, digit], decision) => {
  it('count right after the frame that shows the item, however late its timer comes', async () => {
    const page = await opened();
    drawFrame();
    press(action);
    press(digit);
    await page.settle();
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
  });

  it('before the item was painted ask for the reason, and decide nothing', async () => {
    const page = await opened();
    press(action);
    press(digit);
    drawFrame();
    await page.settle();
    await page.settle(200);
    expect([fixture.server.decisions, page.reviewSession.reasonPrompt.action]).toEqual([
      [],
      (decision as { action: string }).action,
    ]);
    expect(page.announcer.words).toBe(reviewMessages.announcement.tooEarly);
    press(digit);
    await page.settle();
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
  });

  it('count in order where only the first came before the item was painted', async () => {
    const page = await opened();
    press(action);
    drawFrame();
    press(digit);
    await page.settle();
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
  });

  it('count in the same way where the claim of an item that was read takes its time', async () => {
    const page = listen(await fixture.open());
    await page.reviewSession.peek('one');
    page.observe();
    drawFrame();
    await page.settle();
    fixture.server.held.add('/claim');
    const claiming = page.reviewSession.claim('one');
    for (const key of [action, action, digit]) press(key);
    expect(fixture.server.decisions).toEqual([]);
    fixture.server.releaseHeld();
    await claiming;
    await page.settle();
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', ...decision }]);
  });

  it('count on the next item once it was seen, while its claim is requested', async () => {
    const page = listen(await fixture.openWithClaim());
    await openedNext(page);
    now += 301;
    press(action);
    press(digit);
    await page.settle(400);
    expect(fixture.server.decisions).toHaveLength(1);
    fixture.server.releaseHeld();
    await page.settle();
    expect(fixture.server.decisions.slice(1)).toMatchObject([{ id: 'two', ...decision }]);
  });
});

/** Approves the open item; the next one is painted, and its claim waits. */
async function openedNext(page: ReturnType<typeof listen>): Promise<void> {
  fixture.server.held.add('claim-next');
  page.observe();
  drawFrame();
  await page.settle();
  press('a');
  await vi.advanceTimersByTimeAsync(0);
  expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['two', 'loading']);
  drawFrame();
  await vi.advanceTimersByTimeAsync(0);
}

describe('QU2: a key that decides at once', () => {
  it.each([
    ['before the item was painted', 0],
    ['within 300 ms after the next item opened by itself', 250],
  ])('%s decides nothing, and neither does what follows it', async (_, ms) => {
    const page = listen(await fixture.openWithClaim());
    await openedNext(page);
    press('a', ms);
    press('a', 10);
    now += 300;
    await page.settle(400);
    fixture.server.releaseHeld();
    await page.settle();
    expect(fixture.server.decisions.map(({ id }) => id)).toEqual(['one']);
  });

  it('once the item was seen decides it when its claim is there, and only it', async () => {
    const page = listen(await fixture.openWithClaim());
    await openedNext(page);
    for (const ms of [310, 30]) press('a', ms);
    await page.settle(400);
    fixture.server.releaseHeld();
    await page.settle();
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('mine'));
    expect(fixture.server.decisions.map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('made before the item was painted and delivered after it decides nothing', async () => {
    const page = await opened();
    const made = now;
    drawFrame();
    await page.settle();
    now += 50;
    const late = new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true });
    Object.defineProperty(late, 'timeStamp', { value: made });
    document.body.dispatchEvent(late);
    await page.settle();
    expect(fixture.server.decisions).toEqual([]);
    press('a');
    await page.settle();
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', action: 'approve' }]);
  });

  it('is not sent again by a second press when it was refused', async () => {
    const page = listen(await fixture.open({ flow: false }));
    await page.reviewSession.claim('one');
    drawFrame();
    await page.settle();
    fixture.server.held.add('decision');
    fixture.server.outcomes.set('decision', 500);
    press('a');
    press('a');
    fixture.server.releaseHeld();
    await page.settle();
    expect(fixture.server.requests.filter((line) => line.endsWith('/decision'))).toHaveLength(1);
  });
});

describe('QU2: a key that waits', () => {
  it('is dropped with the item it was meant for', async () => {
    const page = await opened();
    press('r');
    await page.reviewSession.claim('two');
    drawFrame();
    await page.settle();
    expect(page.reviewSession.reasonPrompt.action).toBeNull();
  });

  it('is dropped by Escape', async () => {
    const page = await opened();
    press('r');
    press('Escape');
    drawFrame();
    await page.settle();
    expect(page.reviewSession.reasonPrompt.action).toBeNull();
  });

  it('is dropped behind one that decides, also where the decision is refused', async () => {
    const page = listen(await fixture.open({ flow: false }));
    await page.reviewSession.peek('one');
    page.observe();
    drawFrame();
    await page.settle();
    fixture.server.held.add('/claim');
    fixture.server.outcomes.set('decision', 500);
    const claiming = page.reviewSession.claim('one');
    for (const key of ['a', 's']) press(key);
    fixture.server.releaseHeld();
    await claiming;
    await page.settle();
    await page.settle();
    expect(fixture.server.requests.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /api/items/one/claim',
      'POST /api/items/one/decision',
    ]);
  });

  it('has no effect long after it was made', async () => {
    const page = await opened();
    press('r');
    now += 4001;
    drawFrame();
    await page.settle();
    expect(page.reviewSession.reasonPrompt.action).toBeNull();
  });

  it('opens the editor first, and what was typed behind it goes there', async () => {
    const page = await opened();
    for (const key of ['e', 's', 'a', '1']) press(key);
    document.body.innerHTML = '<div id="app"><textarea></textarea></div>';
    const field = document.querySelector('textarea') ?? expect.fail('no field');
    // As the editor does when it opens.
    vi.spyOn(page.reviewSession, 'startEdit').mockImplementation(() => field.focus());
    drawFrame();
    await page.settle();
    expect([field.value, fixture.server.decisions, page.reviewSession.item.id]).toEqual(['sa1', [], 'one']);
  });
});
