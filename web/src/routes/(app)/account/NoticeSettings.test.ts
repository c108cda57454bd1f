// @vitest-environment happy-dom
// NO7 on the account page: off until a press, what a refusal is told as, and quiet hours.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noticeSettings } from '#lib/notices/notice-settings.svelte.ts';
import { messages } from './messages.ts';
import NoticeSettings from './NoticeSettings.svelte';

const text = messages.notices;
const KEY = 'countersign.notices.ana';
const stored = (): unknown => JSON.parse(localStorage.getItem(KEY) ?? 'null');

/** A browser that answers its question with `answer`, and shows notices unless it is a phone that refuses them to pages. */
function aBrowser(answer: NotificationPermission, { refusesPages = false } = {}) {
  const shown: { title: string; tag: string | undefined }[] = [];
  const asked = vi.fn();
  class FakeNotification {
    static permission: NotificationPermission = 'default';
    static requestPermission = () => {
      asked();
      FakeNotification.permission = answer;
      return Promise.resolve(answer);
    };
    onclick = null;
    constructor(title: string, options: NotificationOptions) {
      if (refusesPages) throw new TypeError('Illegal constructor');
      shown.push({ title, tag: options.tag });
    }
  }
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('Notification', FakeNotification);
  return { shown, asked, FakeNotification };
}

const turnOn = () => fireEvent.click(screen.getByRole('button', { name: text.turnOn }));
const status = () => screen.getByRole('status').textContent.trim();

let stop: () => void = () => undefined;
beforeEach(() => {
  localStorage.clear();
  stop = noticeSettings.follow('ana');
});
afterEach(() => {
  stop();
  cleanup();
  vi.unstubAllGlobals();
  localStorage.clear();
});

describe('NO7: turning notices on', () => {
  it('asks nothing before a press, and shows an example after it', async () => {
    const { shown, asked } = aBrowser('granted');
    render(NoticeSettings, { user: 'ana' });
    expect([status(), asked.mock.calls.length, stored()]).toEqual([text.off, 0, null]);
    await turnOn();
    await screen.findByText(text.on);
    expect(asked).toHaveBeenCalledTimes(1);
    expect(shown).toEqual([{ title: text.confirmTitle, tag: 'countersign.example' }]);
    expect(stored()).toMatchObject({ on: true, quiet: false });
    await fireEvent.click(screen.getByRole('button', { name: text.turnOff }));
    expect([status(), stored()]).toEqual([text.off, expect.objectContaining({ on: false })]);
  });

  it.each([
    ['denied', {}, text.refused.denied],
    ['default', {}, text.refused.closed],
    ['granted', { refusesPages: true }, text.refused.unsupported],
  ] as const)('says what to do when the browser answers %s %j', async (answer, options, words) => {
    aBrowser(answer, options);
    render(NoticeSettings, { user: 'ana' });
    await turnOn();
    await screen.findByText(words);
    expect([noticeSettings.on, stored()]).toEqual([false, null]);
  });

  it.each([
    ['without notifications', () => vi.stubGlobal('Notification', undefined)],
    ['over plain HTTP', () => vi.stubGlobal('isSecureContext', false)],
  ])('says what to do in a browser %s', async (_, change) => {
    const { asked } = aBrowser('granted');
    change();
    render(NoticeSettings, { user: 'ana' });
    await turnOn();
    await screen.findByText(text.refused.unsupported);
    expect([noticeSettings.on, asked.mock.calls.length]).toEqual([false, 0]);
  });

  it('says that none appear when they were allowed and no longer are, and can be turned off', async () => {
    const { FakeNotification } = aBrowser('granted');
    render(NoticeSettings, { user: 'ana' });
    await turnOn();
    await screen.findByText(text.on);
    FakeNotification.permission = 'denied';
    await fireEvent(window, new Event('focus'));
    expect(status()).toBe(`${text.stopped} ${text.refused.denied}`);
    await fireEvent.click(screen.getByRole('button', { name: text.turnOff }));
    expect(status()).toBe(text.off);
  });

  it('is the choice of one person', async () => {
    aBrowser('granted');
    render(NoticeSettings, { user: 'ana' });
    await turnOn();
    await screen.findByText(text.on);
    cleanup();
    render(NoticeSettings, { user: 'ben' });
    expect(status()).toBe(text.off);
  });
});

describe('NO7: quiet hours', () => {
  const type = async (label: string, value: string) => {
    const field = screen.getByLabelText<HTMLInputElement>(label);
    await fireEvent.input(field, { target: { value } });
    await fireEvent.change(field);
  };

  it('are kept once chosen, and a span of no time is refused and stays in its field', async () => {
    aBrowser('granted');
    noticeSettings.on = true;
    render(NoticeSettings, { user: 'ana' });
    expect(screen.queryByLabelText(text.from)).toBeNull();
    await fireEvent.click(screen.getByRole('checkbox', { name: text.quietLabel }));
    expect(noticeSettings.quietHours).toEqual({ from: '20:00', to: '08:00' });
    await type(text.from, '22:30');
    expect(stored()).toMatchObject({ quiet: true, hours: { from: '22:30', to: '08:00' } });
    await type(text.to, '22:30');
    await screen.findByText(text.sameTimes);
    expect(screen.getByLabelText<HTMLInputElement>(text.to).value).toBe('22:30');
    expect(noticeSettings.quietHours).toEqual({ from: '22:30', to: '08:00' });
    await type(text.to, '');
    await screen.findByText(text.noTime);
    await type(text.to, '07:00');
    expect(noticeSettings.quietHours).toEqual({ from: '22:30', to: '07:00' });
    expect(screen.queryByText(text.noTime)).toBeNull();
  });

  it.each([
    ['nothing', null],
    ['no JSON', '{'],
    ['other values', JSON.stringify({ on: 'yes', quiet: 1, hours: { from: '25:00', to: 7 } })],
    ['a list', '[1]'],
  ])('are off, with usual times, where the browser stored %s', (_, text) => {
    localStorage.clear();
    if (text !== null) localStorage.setItem(KEY, text);
    stop();
    stop = noticeSettings.follow('ana');
    expect([noticeSettings.on, noticeSettings.quietHours]).toEqual([false, null]);
    expect(noticeSettings.hours).toEqual({ from: '20:00', to: '08:00' });
  });
});
