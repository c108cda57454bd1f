// The rules of remapping, pure: which keys may be chosen, and the result of a change or a swap.
import type { Command, KeyScope } from './command.ts';
import { KEYMAP, type Binding } from './keymap.ts';
import { sameKey } from './press.ts';

/** The custom keys of a user, by command; all others have their default. */
export type Chosen = Readonly<Partial<Record<Command, string>>>;

/** The keymap with the custom keys in place of the first default ones. */
export const bindingsOf = (chosen: Chosen): readonly Binding[] =>
  KEYMAP.map((binding) => {
    const own = chosen[binding.command];
    return own === undefined ? binding : { ...binding, keys: [own, ...binding.keys.slice(1)] };
  });

/** The default key of a command. */
export const usualKey = (command: Command): string =>
  KEYMAP.find((binding) => binding.command === command)?.keys[0] ?? '';

/**
 * Scopes whose keys can apply at one moment, besides `anywhere`; a conflict and a draft take precedence over what lies behind
 * them.
 */
const SIMULTANEOUS_SCOPES: readonly (readonly KeyScope[])[] = [['list', 'item', 'reasons']];

const overlap = (one: KeyScope, other: KeyScope): boolean =>
  one === other ||
  SIMULTANEOUS_SCOPES.some((scopes) => scopes.includes(one) && scopes.includes(other)) ||
  (one !== 'go' && other !== 'go' && (one === 'anywhere' || other === 'anywhere'));

/** Every pair of commands that share a key at one moment. */
export function clashes(bindings: readonly Binding[]): [Command, Command][] {
  const found: [Command, Command][] = [];
  for (const [at, one] of bindings.entries()) {
    const keys = new Set(one.keys.map(sameKey));
    for (const other of bindings.slice(at + 1)) {
      if (overlap(one.scope, other.scope) && other.keys.some((key) => keys.has(sameKey(key))))
        found.push([one.command, other.command]);
    }
  }
  return found;
}

/** Combinations that browsers reserve, or that have the same meaning on every page. */
export const BROWSER_SHORTCUTS = new Set(
  [...'acvxztnwrlqfhjpoud0+-=', 'Tab', 'Enter', 'Escape'].map((key) => `$mod+${key}`),
);

const SINGLE_KEY = /^(\[Shift\]\+.|Shift\+\p{L}|\p{L})$/u;
const NAVIGATION_KEYS = /^(Enter|Space|Arrow\w+)$/;

/** Whether a key may be chosen for a command: the rules of `refusalOf` in validate-press.ts, for stored or swapped keys. */
function allowed({ command, typing, fixed }: Binding, key: string): boolean {
  if (fixed === true) return false;
  if (sameKey(key) === sameKey(usualKey(command))) return true;
  if (typing === true) return /^\$mod\+\S$/u.test(key) && !BROWSER_SHORTCUTS.has(key);
  return SINGLE_KEY.test(key) && !/[1-9]$/.test(key) && !NAVIGATION_KEYS.test(key);
}

export const bindingOf = (command: Command): Binding | undefined => KEYMAP.find((each) => each.command === command);

/** The custom keys with one more; null when it is not allowed. */
export function withKey(command: Command, key: string, chosen: Chosen): Chosen | null {
  const binding = bindingOf(command);
  if (binding === undefined || !allowed(binding, key)) return null;
  const next = clean({ ...chosen, [command]: key });
  return clashes(bindingsOf(next)).length === 0 ? next : null;
}

/** The custom keys after a swap of two commands; null when that collides with a third one. */
export function swapped(one: Command, other: Command, chosen: Chosen): Chosen | null {
  const keyOf = (command: Command) => chosen[command] ?? usualKey(command);
  const [mine, theirs] = [bindingOf(one), bindingOf(other)];
  if (mine === undefined || theirs === undefined) return null;
  if (!allowed(mine, keyOf(other)) || !allowed(theirs, keyOf(one))) return null;
  const next = clean({ ...chosen, [one]: keyOf(other), [other]: keyOf(one) });
  return clashes(bindingsOf(next)).length === 0 ? next : null;
}

/** The default key again; null when another command has it now. */
export function withUsual(command: Command, chosen: Chosen): Chosen | null {
  const next = clean({ ...chosen, [command]: undefined });
  return clashes(bindingsOf(next)).length === 0 ? next : null;
}

/** Removes keys that equal the default. */
export function clean(chosen: Partial<Record<Command, string | undefined>>): Chosen {
  const pairs = KEYMAP.flatMap(({ command }): [Command, string][] => {
    const key = chosen[command];
    return key === undefined || sameKey(key) === sameKey(usualKey(command)) ? [] : [[command, key]];
  });
  return Object.fromEntries(pairs);
}

/** The valid part of stored keys: known commands, one key each, none twice at one moment. */
export function parseChosen(value: unknown): Chosen {
  if (typeof value !== 'object' || value === null) return {};
  const given = new Map<string, unknown>(Object.entries(value));
  const pairs = KEYMAP.flatMap((binding): [Command, string][] => {
    const key = given.get(binding.command);
    return typeof key === 'string' && allowed(binding, key) ? [[binding.command, key]] : [];
  });
  const chosen = clean(Object.fromEntries(pairs));
  return clashes(bindingsOf(chosen)).length === 0 ? chosen : {};
}
