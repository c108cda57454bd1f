// The guards of the keyboard: a key decides only what its presser sees and means.
import { describe, expect, it } from 'vitest';
import { capOf, KEY_SCOPES, KEYMAP, mayFire, type Binding, type Command, type Situation } from './keyboard.ts';

const bindingOf = (command: Command): Binding => {
  const binding = KEYMAP.find((each) => each.command === command);
  if (binding === undefined) throw new Error(command);
  return binding;
};
const press = { repeat: false, defaultPrevented: false, isComposing: false, key: 'a' };
const ready: Situation = {
  enabled: true,
  scopes: KEY_SCOPES,
  typing: false,
  control: 'none',
  dialogOpen: false,
  pending: false,
  armed: true,
};

describe('keymap', () => {
  it('has no two bindings for one key in one scope, and words for every one', () => {
    const places = KEYMAP.flatMap(({ scope, keys }) => keys.map((key) => `${scope} ${key}`));
    expect(new Set(places).size).toBe(places.length);
    for (const { words } of KEYMAP) expect(words).not.toBe('');
  });

  it('draws caps', () => {
    expect([
      capOf('a'),
      capOf('[Shift]+?'),
      capOf('$mod+Enter', false),
      capOf('$mod+Enter', true),
      capOf('ArrowDown'),
    ]).toEqual(['A', '?', 'Ctrl ⏎', '⌘ ⏎', '↓']);
  });
});

describe('guards', () => {
  const approve = bindingOf('approve');

  it('let a verb through when nothing speaks against it', () => {
    expect(mayFire(approve, press, ready)).toBe(true);
  });

  it.each<[string, Partial<typeof press>, Partial<Situation>]>([
    ['a key held down', { repeat: true }, {}],
    ['a press that something else has used', { defaultPrevented: true }, {}],
    ['a press inside an input method', { isComposing: true }, {}],
    ['typing', {}, { typing: true }],
    ['an open dialog', {}, { dialogOpen: true }],
    ['a change under way', {}, { pending: true }],
    ['an item that is not painted yet', {}, { armed: false }],
    ['another part of the page', {}, { scopes: ['list'] }],
    ['keys switched off', {}, { enabled: false }],
  ])('stop a verb at %s', (_, pressed, situation) => {
    expect(mayFire(approve, { ...press, ...pressed }, { ...ready, ...situation })).toBe(false);
  });

  it('let movement repeat and go on while something is being saved', () => {
    const held = { ...press, key: 'j', repeat: true };
    expect(mayFire(bindingOf('down'), held, { ...ready, pending: true, armed: false })).toBe(true);
  });

  it('let Submit and Escape through while typing, also with keys switched off', () => {
    const typing = { ...ready, typing: true, control: 'arrows' as const, enabled: false };
    expect(mayFire(bindingOf('submit'), { ...press, key: 'Enter' }, typing)).toBe(true);
    expect(mayFire(bindingOf('leave'), { ...press, key: 'Escape' }, typing)).toBe(true);
  });

  it('leave Enter to a focused button, and arrows to a control that moves by them', () => {
    const enter = { ...press, key: 'Enter' };
    expect(mayFire(bindingOf('open'), enter, ready)).toBe(true);
    expect(mayFire(bindingOf('open'), enter, { ...ready, control: 'activates' })).toBe(false);
    expect(mayFire(bindingOf('down'), { ...press, key: 'ArrowDown' }, { ...ready, control: 'activates' })).toBe(true);
    expect(mayFire(bindingOf('down'), { ...press, key: 'ArrowDown' }, { ...ready, control: 'arrows' })).toBe(false);
  });

  it('keep named keys when single characters are switched off (WCAG 2.1.4)', () => {
    const off = { ...ready, enabled: false };
    expect(mayFire(bindingOf('open'), { ...press, key: 'Enter' }, off)).toBe(true);
    expect(mayFire(bindingOf('down'), { ...press, key: 'ArrowDown' }, off)).toBe(true);
    expect(mayFire(bindingOf('down'), { ...press, key: 'j' }, off)).toBe(false);
    expect(mayFire(bindingOf('help'), { ...press, key: '?' }, off)).toBe(false);
  });
});
