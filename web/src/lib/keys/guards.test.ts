// QU2: a key decides only what its user sees and means. Every guard blocks every action.
import { describe, expect, it } from 'vitest';
import { mayFire, type GuardedPress, type Situation } from './key-listener.svelte.ts';
import { KEY_SCOPES, type Command } from './command.ts';
import { KEYMAP, type Binding } from './keymap.ts';

const bindingOf = (command: Command): Binding => {
  const binding = KEYMAP.find((each) => each.command === command);
  if (binding === undefined) throw new Error(command);
  return binding;
};
const press: GuardedPress = { repeat: false, defaultPrevented: false, isComposing: false, key: 'a', keyCode: 65 };
const ready: Situation = {
  enabled: true,
  scopes: KEY_SCOPES,
  typing: false,
  control: 'none',
  dialogOpen: false,
  pending: false,
  actionsEnabled: true,
};

/** The key press for a binding. */
const pressOf = ({ keys }: Binding): GuardedPress => {
  const name = (keys[0] ?? '').split('+').at(-1) ?? '';
  return { ...press, key: name === 'Space' ? ' ' : name };
};

const ACTIONS = KEYMAP.filter(({ action }) => action === true);
const GUARDS: [string, Partial<GuardedPress>, Partial<Situation>][] = [
  ['a key held down', { repeat: true }, {}],
  ['a press that another handler used', { defaultPrevented: true }, {}],
  ['a press inside an input method', { isComposing: true }, {}],
  ['a press an input method has taken', { key: 'Process' }, {}],
  ['a press it has taken without reporting it, as in Safari and on phones', { keyCode: 229 }, {}],
  ['an open dialog', {}, { dialogOpen: true }],
  ['a change in flight', {}, { pending: true }],
  ['an item that has not been seen', {}, { actionsEnabled: false }],
  ['another part of the page', {}, { scopes: [] }],
];

describe('QU2: actions', () => {
  it.each(ACTIONS.map((binding) => [binding.command, binding] as const))(
    '%s fires when no guard blocks it',
    (_, binding) => {
      expect(mayFire(binding, pressOf(binding), ready)).toBe(true);
    },
  );

  describe.each(GUARDS)('are disabled at %s', (_, pressed, situation) => {
    it.each(ACTIONS.map((binding) => [binding.command, binding] as const))('%s', (__, binding) => {
      expect(mayFire(binding, { ...pressOf(binding), ...pressed }, { ...ready, ...situation })).toBe(false);
    });
  });

  it.each(ACTIONS.filter(({ typing }) => typing !== true).map((binding) => [binding.command, binding] as const))(
    '%s is disabled in a text field, and with single-letter keys off',
    (_, binding) => {
      expect(mayFire(binding, pressOf(binding), { ...ready, typing: true, control: 'arrows' })).toBe(false);
      const named = pressOf(binding).key === 'Enter';
      expect(mayFire(binding, pressOf(binding), { ...ready, enabled: false })).toBe(named);
    },
  );
});

describe('other keys', () => {
  it('let movement repeat and work while a change is being saved', () => {
    const held = { ...press, key: 'j', repeat: true };
    expect(mayFire(bindingOf('down'), held, { ...ready, pending: true, actionsEnabled: false })).toBe(true);
  });

  it('work while typing where they are meant to, also with single-letter keys off', () => {
    const typing = { ...ready, typing: true, control: 'arrows' as const, enabled: false };
    for (const [command, key] of [
      ['submit', 'Enter'],
      ['leave', 'Escape'],
      ['keepDraft', 's'],
      ['palette', 'k'],
    ] as const) {
      expect([command, mayFire(bindingOf(command), { ...press, key }, typing)]).toEqual([command, true]);
    }
  });

  it('leave Enter and Space to a focused button, and arrows to a control that uses them', () => {
    const may = (command: Command, key: string, control: Situation['control']) =>
      mayFire(bindingOf(command), { ...press, key }, { ...ready, control });
    expect([may('open', 'Enter', 'none'), may('open', 'Enter', 'activates')]).toEqual([true, false]);
    expect([may('peek', ' ', 'none'), may('peek', ' ', 'activates')]).toEqual([true, false]);
    expect([may('down', 'ArrowDown', 'activates'), may('down', 'ArrowDown', 'arrows')]).toEqual([true, false]);
  });

  it('QU5: named keys still work when single characters are switched off (WCAG 2.1.4)', () => {
    const off = { ...ready, enabled: false };
    const may = (command: Command, key: string) => mayFire(bindingOf(command), { ...press, key }, off);
    expect([may('open', 'Enter'), may('down', 'ArrowDown'), may('peek', ' ')]).toEqual([true, true, true]);
    for (const { command, keys, typing } of KEYMAP) {
      const key = (keys[0] ?? '').split('+').at(-1) ?? '';
      if ([...key].length === 1 && typing !== true) expect([command, may(command, key)]).toEqual([command, false]);
    }
  });
});
