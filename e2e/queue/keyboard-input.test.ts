// Tests keys in a real browser: typing in other fields decides nothing, and every keyboard layout reaches every key.
import { describe, expect, it } from 'vitest';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { expectUntouched, openQueue, waitUntilActionable } from '../support/open-item.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { waitUntilIdle, row } from '../support/queue.ts';

const chromium = await findChromium();
const MINUTE = 60_000;

describe.skipIf(chromium === undefined)('the keys of an item', () => {
  const browserEnv = useBrowserEnvironment();
  const own = () => openQueue(browserEnv());
  const read = (id: string) => browserEnv().owner.call(readQueueItem, { params: { id } });

  /**
   * Which keys give Reject and the second reason, and where R is, on several keyboard layouts: digits with Shift, other letter
   * positions, no Latin letters, native digits, signs instead of digits. `web/src/lib/keys/layouts.test.ts` tests all other
   * layouts.
   */
  const KEYBOARDS: [name: string, reject: string, place: string, second: string][] = [
    ['French', 'r', 'KeyR', 'é'],
    ['Dvorak', 'r', 'KeyO', '2'],
    ['Russian', 'к', 'KeyR', '2'],
    ['Arabic', 'ق', 'KeyR', '٢'],
    ['Thai', 'พ', 'KeyR', '/'],
  ];

  it('QU11: rejects with a reason on several keyboard layouts', { timeout: 2 * MINUTE }, async () => {
    const { owner, enter } = browserEnv();
    const { project, submit } = await own();
    const ids: string[] = [];
    for (const [name] of KEYBOARDS) ids.push(await submit(name));
    const page = await enter(owner, `/queue?project=${project.id}`);
    const keyboardSession = await page.context().newCDPSession(page);
    const press = async (key: string, code: string) => {
      await keyboardSession.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, code });
      await keyboardSession.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
    };
    await row(page, 'Thai').waitFor();
    await page.keyboard.press('n');
    for (const [name, reject, place, second] of KEYBOARDS) {
      await waitUntilActionable(page, `${name}!`);
      await press(reject, place);
      await press(second, 'Digit2');
    }
    await waitUntilIdle(page);
    for (const [at, id] of ids.entries()) {
      const expected = { action: 'reject', reason: 'Policy' };
      expect([KEYBOARDS[at]?.[0], (await read(id)).decision]).toMatchObject([KEYBOARDS[at]?.[0], expected]);
    }
  });

  it('QU10: typing in other fields decides nothing', { timeout: 2 * MINUTE }, async () => {
    const { owner, enter } = browserEnv();
    const { project, submit } = await own();
    const id = await submit('Typed beside');
    const page = await enter(owner, `/queue?project=${project.id}`);
    await row(page, 'Typed beside').waitFor();
    await page.keyboard.press('n');
    await waitUntilActionable(page, 'Typed beside!');
    for (const mode of ['open', 'closed'] as const)
      for (const within of ['body', '#app']) {
        // Like the panel of an extension: a host with a field in a shadow root.
        await page.evaluate(
          ([how, where]) => {
            const host = document.createElement('div');
            document.querySelector(where)?.append(host);
            const field = document.createElement('input');
            host.attachShadow({ mode: how }).append(field);
            field.focus();
            Object.assign(window, { typedInto: field });
          },
          [mode, within] as const,
        );
        await page.keyboard.type('arus1e');
        expect(await page.evaluate(() => (window as unknown as { typedInto: HTMLInputElement }).typedInto.value)).toBe(
          'arus1e',
        );
        await expectUntouched(page, owner, id);
      }
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('1');
    await expectUntouched(page, owner, id);
    await page.keyboard.press('a');
    await expect.poll(async () => (await read(id)).status).toBe('approved');
  });
});
