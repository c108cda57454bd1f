// QU5: keys can be changed, and after any change one key has one meaning at any moment.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { KEYMAP } from './keymap.ts';
import { sameKey, type Press } from './press.ts';
import { bindingsOf, clashes, parseChosen, swapped, usualKey, withKey, withUsual, type Chosen } from './remap.ts';
import { usualKeyUser, validatePress } from './validate-press.ts';

const COMMANDS = KEYMAP.map(({ command }) => command);
const press = (key: string, more: Partial<Press> = {}): Press => ({
  key,
  code: '',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...more,
});
const keysOf = (command: Command, chosen: Chosen): readonly string[] =>
  bindingsOf(chosen).find((binding) => binding.command === command)?.keys ?? [];

const anyPress = fc.record({
  key: fc.oneof(
    fc.constantFrom(
      ...'abcdefghijklmnopqrstuvwxyzßфжλıİéÉ?/.,;-+([ 1590',
      'Enter',
      'Tab',
      'Escape',
      'ArrowDown',
      'F2',
      'Dead',
      'Shift',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  shiftKey: fc.boolean(),
  ctrlKey: fc.constantFrom(false, false, false, true),
  metaKey: fc.constant(false),
  altKey: fc.constantFrom(false, false, false, true),
  code: fc.constant(''),
});
const step = fc.record({
  command: fc.constantFrom(...COMMANDS),
  press: anyPress,
  way: fc.constantFrom('press', 'press', 'press', 'back', 'reload'),
});

/** The result of a press in the sheet; a taken key is swapped. */
function after(
  chosen: Chosen,
  { command, press: pressed, way }: { command: Command; press: Press; way: string },
): Chosen {
  if (way === 'back') return withUsual(command, chosen) ?? chosen;
  if (way === 'reload') return parseChosen(JSON.parse(JSON.stringify(chosen)));
  const outcome = validatePress(pressed, command, chosen);
  if (outcome.kind === 'free') return withKey(command, outcome.key, chosen) ?? expect.fail('free, and refused');
  if (outcome.kind === 'taken') return swapped(command, outcome.by, chosen) ?? expect.fail('taken, and no swap');
  return chosen;
}

describe('QU5: remapping', () => {
  it('leaves every key unique in its scope, after any change, swap, reset or reload', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let chosen: Chosen = {};
        for (const each of steps) {
          chosen = after(chosen, each);
          expect(clashes(bindingsOf(chosen))).toEqual([]);
          expect(parseChosen(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen);
        }
        for (const { command, action } of KEYMAP) {
          const first = keysOf(command, chosen)[0] ?? '';
          // No action ever gets a key that works or scrolls in any focus.
          if (action === true && first !== usualKey(command)) expect(first).not.toMatch(/Enter|Space|Arrow|Tab|Escape/);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('gives G to Approve and A to the go key, by a swap', () => {
    expect(validatePress(press('g'), 'approve', {})).toEqual({ kind: 'taken', key: 'g', by: 'go' });
    const chosen = swapped('approve', 'go', {}) ?? {};
    expect(chosen).toEqual({ approve: 'g', go: 'a' });
    expect(keysOf('approve', chosen)).toEqual(['g']);
    expect(withUsual('approve', chosen)).toBeNull();
    expect(usualKeyUser('approve', chosen)).toBe('go');
    expect(swapped('approve', 'go', chosen)).toEqual({});
  });

  it.each<[string, Press, Command, object]>([
    ['a free letter', press('h'), 'approve', { kind: 'free', key: 'h' }],
    ['a letter of another alphabet', press('ф'), 'approve', { kind: 'free', key: 'ф' }],
    ['a letter with Shift', press('H', { shiftKey: true }), 'approve', { kind: 'free', key: 'Shift+h' }],
    [
      'a character, with Shift or without',
      press(';', { shiftKey: true }),
      'approve',
      { kind: 'free', key: '[Shift]+;' },
    ],
    ['a letter whose small form is two characters', press('İ'), 'approve', { kind: 'refused', why: 'nameless' }],
    ['that letter with Ctrl', press('İ', { ctrlKey: true }), 'submit', { kind: 'refused', why: 'nameless' }],
    ['a modifier at the start of a combination', press('Shift', { shiftKey: true }), 'approve', { kind: 'wait' }],
    ['Esc', press('Escape'), 'approve', { kind: 'leave' }],
    ['Tab', press('Tab'), 'approve', { kind: 'refused', why: 'tab' }],
    ['Enter, which activates controls', press('Enter'), 'approve', { kind: 'refused', why: 'works' }],
    ['Space', press(' '), 'approve', { kind: 'refused', why: 'works' }],
    ['an arrow', press('ArrowLeft'), 'approve', { kind: 'refused', why: 'works' }],
    ['a digit of the reasons', press('5'), 'approve', { kind: 'refused', why: 'digit' }],
    ['a combination', press('h', { ctrlKey: true }), 'approve', { kind: 'refused', why: 'combination' }],
    ['Alt', press('h', { altKey: true }), 'approve', { kind: 'refused', why: 'combination' }],
    ['a key without a character', press('F2'), 'approve', { kind: 'refused', why: 'nameless' }],
    ['a dead key', press('Dead'), 'approve', { kind: 'refused', why: 'nameless' }],
    ['a key that applies at the same moment', press('s'), 'approve', { kind: 'taken', key: 's', by: 'skip' }],
    ['a key of the list beside the item', press('j'), 'approve', { kind: 'taken', key: 'j', by: 'down' }],
    ['a key of another page', press('c'), 'show', { kind: 'taken', key: 'c', by: 'note' }],
    ['a single key for a command that works while typing', press('h'), 'palette', { kind: 'refused', why: 'typing' }],
    ['a combination browsers reserve', press('t', { ctrlKey: true }), 'palette', { kind: 'refused', why: 'browser' }],
    ['another combination', press('e', { ctrlKey: true }), 'palette', { kind: 'free', key: '$mod+e' }],
  ])('judges the new key of a command: %s', (_, pressed, command, outcome) => {
    expect(validatePress(pressed, command, {})).toEqual(outcome);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no object', 'approve'],
    ['unknown commands', { fly: 'f' }],
    [
      'keys that are not allowed',
      { approve: 'Enter', reject: 'Tab', leave: 'x', next: '1', palette: 'k', skip: '', undo: 7 },
    ],
    ['two commands on one key', { approve: 'h', reject: 'H' }],
  ])('reads %s from storage as the default keys', (_, stored) => {
    expect(clashes(bindingsOf(parseChosen(stored)))).toEqual([]);
    expect(parseChosen(stored)).toEqual({});
  });

  it('distinguishes keys as they are pressed', () => {
    expect([sameKey('[Shift]+?'), sameKey('A'), sameKey('Shift+a')]).toEqual(['?', 'a', 'shift+a']);
  });
});
