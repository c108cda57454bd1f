// Validates a pressed key as the new key of a command, pure: why it cannot be chosen, or which command has it already.
import type { Command } from './command.ts';
import type { Binding } from './keymap.ts';
import { digitOf, isModifier, nameOf, sameKey, type Press } from './press.ts';
import { bindingOf, bindingsOf, BROWSER_SHORTCUTS, clashes, clean, swapped, usualKey, type Chosen } from './remap.ts';

/** Why a key cannot be chosen. */
export type Refusal = 'tab' | 'works' | 'digit' | 'combination' | 'browser' | 'typing' | 'nameless' | 'unswappable';

/** The result of a press while a command waits for its key. `wait` is a modifier that starts a combination. */
export type Outcome =
  | { kind: 'wait' | 'leave' }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'taken'; key: string; by: Command }
  | { kind: 'free'; key: string };

/** Validates a press as the new key of a command. */
export function validatePress(press: Press, command: Command, chosen: Chosen): Outcome {
  if (isModifier(press)) return { kind: 'wait' };
  if (press.key === 'Escape') return { kind: 'leave' };
  const binding = bindingOf(command);
  const key = nameOf(press);
  const why = binding === undefined || binding.fixed === true ? 'nameless' : refusalOf(press, binding, key);
  if (why !== null || key === null) return { kind: 'refused', why: why ?? 'nameless' };
  const own = usualKey(command) === key ? { ...chosen, [command]: undefined } : { ...chosen, [command]: key };
  const conflicts = clashes(bindingsOf(clean(own))).filter((pair) => pair.includes(command));
  const [one, ...others] = conflicts.map(([a, b]) => (a === command ? b : a));
  if (one === undefined) return { kind: 'free', key };
  if (others.length > 0 || swapped(command, one, chosen) === null) return { kind: 'refused', why: 'unswappable' };
  return { kind: 'taken', key, by: one };
}

function refusalOf(press: Press, binding: Binding, key: string | null): Refusal | null {
  if (press.key === 'Tab') return 'tab';
  const combined = press.ctrlKey || press.metaKey;
  const usual = key !== null && sameKey(usualKey(binding.command)) === sameKey(key);
  if (usual) return null;
  if (binding.typing === true) {
    if (!combined) return 'typing';
    if (key === null) return 'nameless';
    return press.altKey || press.shiftKey || BROWSER_SHORTCUTS.has(key) ? 'browser' : null;
  }
  if (combined || press.altKey) return 'combination';
  if (press.key === 'Enter' || press.key === ' ' || press.key.startsWith('Arrow')) return 'works';
  if (digitOf(press) >= 1) return 'digit';
  return key === null ? 'nameless' : null;
}

/** The command that has the default key of another at present. */
export const usualKeyUser = (command: Command, chosen: Chosen): Command | null => {
  const pair = clashes(bindingsOf(clean({ ...chosen, [command]: undefined }))).find((each) => each.includes(command));
  return pair?.find((each) => each !== command) ?? null;
};
