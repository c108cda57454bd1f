// The keymap: a label for every command, one meaning per key at any moment, and correct caps.
import { describe, expect, it } from 'vitest';
import { ariaOf, capOf, isSingle } from './caps.ts';
import { commandMessages } from './command-messages.ts';
import { KEYMAP } from './keymap.ts';
import { clashes } from './remap.ts';

describe('keymap', () => {
  it('QU5: gives each key one meaning at any moment, and every command a label', () => {
    expect(clashes(KEYMAP)).toEqual([]);
    expect(new Set(KEYMAP.map(({ command }) => command)).size).toBe(KEYMAP.length);
    for (const { command } of KEYMAP) expect(commandMessages[command]).not.toBe('');
  });

  it.each([
    ['approve', ['A']],
    ['edit', ['E']],
    ['reject', ['R']],
    ['escalate', ['U']],
    ['down', ['J', '↓']],
    ['selectTo', ['⇧ X']],
    ['show', ['.']],
    ['help', ['?']],
    ['peek', ['Space']],
    ['submit', ['Ctrl ⏎']],
    ['leave', ['Esc']],
  ])('draws the keys of %s', (command, caps) => {
    const binding = KEYMAP.find((each) => each.command === command);
    expect(binding?.keys.map((key) => capOf(key, false))).toEqual(caps);
  });

  it.each([
    ['A', 'A', true],
    ['?', '?', true],
    ['⇧ X', 'Shift+X', true],
    ['Ctrl ⏎', 'Control+Enter', false],
    ['⌘ K', 'Meta+K', false],
    ['↓', 'ArrowDown', false],
    ['Esc', 'Escape', false],
    ['Space', 'Space', false],
    ['Ж', 'Ж', true],
  ])('describes %s to assistive technology', (cap, aria, single) => {
    expect([ariaOf(cap), isSingle(cap)]).toEqual([aria, single]);
  });
});
