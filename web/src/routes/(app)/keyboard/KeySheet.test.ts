// @vitest-environment happy-dom
// QU5: the key sheet in use: by keyboard alone a key is changed, refused, swapped and reset.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyOf, keySettings } from '#lib/keys/key-settings.svelte.ts';
import { listenToKeys } from '#lib/keys/key-listener.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
import KeySheet from './KeySheet.svelte';
import { preferences } from '../queue/preferences.svelte.ts';

let ran: Command[];
let stops: (() => void)[];
beforeEach(() => {
  localStorage.clear();
  ran = [];
  stops = [
    keySettings.follow('ana'),
    listenToKeys({
      situation: () => ({ scopes: ['anywhere', 'item'], pending: false, actionsEnabled: true }),
      can: (command) => command === 'approve',
      run: (command) => ran.push(command) > 0,
    }),
  ];
  render(KeySheet, { open: true });
});
afterEach(() => {
  stops.forEach((stop) => stop());
  cleanup();
});

const changeOf = (words: string) => screen.getByRole('button', { name: `Change shortcut: ${words}` });

/** Presses a key on the focused element. */
async function press(key: string): Promise<void> {
  await fireEvent.keyDown(document.activeElement ?? document.body, { key });
}

async function record(words: string, key: string): Promise<void> {
  changeOf(words).focus();
  await fireEvent.click(changeOf(words));
  await press(key);
}

describe('QU5: the sheet', () => {
  it('gives a command another key, says so, and retains the focus', async () => {
    await record('Approve', 'h');
    expect(keyOf('approve')).toBe('H');
    expect(screen.getByRole('status').textContent?.trim()).toBe('Approve is now on H.');
    expect(document.activeElement).toBe(changeOf('Approve'));
    await fireEvent.click(screen.getByRole('button', { name: 'Reset shortcut: Approve' }));
    expect(keyOf('approve')).toBe('A');
  });

  it('offers a swap for a key that is taken, with the focus on it', async () => {
    await record('Approve', 'g');
    expect(screen.getByRole('alert').textContent).toContain('G is used by “Go to a page”.');
    expect(document.activeElement?.textContent?.trim()).toBe('Swap');
    await fireEvent.click(document.activeElement ?? document.body);
    expect([keyOf('approve'), keyOf('go')]).toEqual(['G', 'A']);
    // Another command has its default key now.
    await fireEvent.click(screen.getByRole('button', { name: 'Reset shortcut: Approve' }));
    expect([keyOf('approve'), keyOf('go')]).toEqual(['G', 'A']);
    expect(screen.getByRole('status').textContent).toContain('“Go to a page”');
    await fireEvent.click(screen.getByRole('button', { name: 'Reset all' }));
    expect([keyOf('approve'), keyOf('go')]).toEqual(['A', 'G']);
  });

  it.each([
    ['Tab', 'Tab is reserved'],
    ['Enter', 'Enter, Space and arrows'],
    ['5', 'Digits are reserved for reasons'],
    ['F2', "That key can't be used"],
  ])('refuses %s with a message, and continues to wait', async (key, sentence) => {
    await record('Approve', key);
    expect(screen.getByRole('alert').textContent).toContain(sentence);
    expect(keyOf('approve')).toBe('A');
    await press('Escape');
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByRole('dialog')).toBeTruthy();
  });

  it('switches single-letter keys off, and sets what follows a decision and what is announced', async () => {
    const choose = (group: string, name: string) =>
      fireEvent.click(within(screen.getByRole('group', { name: group })).getByLabelText(name));
    await choose('Single-letter shortcuts', 'Off');
    await choose('After each decision', 'Browse');
    await choose('Screen reader announcements', 'Important');
    expect([keySettings.on, preferences.flow, preferences.spoken]).toEqual([false, false, 'important']);
    await choose('Single-letter shortcuts', 'On');
    await choose('After each decision', 'Focus');
    await choose('Screen reader announcements', 'All');
    expect([keySettings.on, preferences.flow, preferences.spoken]).toEqual([true, true, 'all']);
  });

  it('runs on a click the commands available on the page behind', async () => {
    expect(screen.queryByRole('button', { name: 'Run: Edit, then submit' })).toBeNull();
    await fireEvent.click(screen.getByRole('button', { name: 'Run: Approve' }));
    await vi.waitFor(() => expect(ran).toEqual(['approve']));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
