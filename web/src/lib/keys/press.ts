// One key press: whether it is the key of a binding, and what a recorded press is called.
import { matchKeybindingPress, parseKeybinding } from 'tinykeys';

/** What is looked at of a key that comes down. */
export type Press = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'NumLock', 'OS']);

/** A key that only changes what other keys mean. */
export const isModifier = ({ key }: Pick<KeyboardEvent, 'key'>): boolean => MODIFIERS.has(key);

const parsed = new Map<string, ReturnType<typeof parseKeybinding>[number] | undefined>();

function partsOf(key: string): ReturnType<typeof parseKeybinding>[number] | undefined {
  if (!parsed.has(key)) parsed.set(key, parseKeybinding(key)[0]);
  return parsed.get(key);
}

/** Whether the event is this key by the character it gives, whatever the layout. */
export function isKey(event: KeyboardEvent, key: string): boolean {
  const parts = partsOf(key);
  return parts !== undefined && matchKeybindingPress(event, parts);
}

const LETTER = /^Key([A-Z])$/;
const DIGIT = /^Digit([1-9])$/;

/** Where a layout gives no Latin letter, or the digits only with Shift, the place of the key counts instead. */
export function isPlace(event: KeyboardEvent, key: string): boolean {
  const parts = partsOf(key);
  const named = placeOf(event);
  if (parts === undefined || named === null || String(parts[2]).toUpperCase() !== named) return false;
  return matchKeybindingPress(event, [parts[0], parts[1], event.code]);
}

function placeOf({ key, code, shiftKey }: Press): string | null {
  const foreign = /^\p{L}$/u.test(key) && !/^[a-z]$/i.test(key);
  if (foreign) return LETTER.exec(code)?.[1] ?? null;
  return !shiftKey && !/^\d$/.test(key) ? (DIGIT.exec(code)?.[1] ?? null) : null;
}

/** The digit of a press, by its character or by its place; NaN when it is none. */
export const digitOf = (event: Press): number => Number(/^\d$/.test(event.key) ? event.key : (placeOf(event) ?? NaN));

/** What two keys have in common when they are pressed alike. */
export const sameKey = (key: string): string => key.replace('[Shift]+', '').toLowerCase();

/** The name of a press as the keymap writes it; null for a press that gives no character of its own. */
export function nameOf(event: Press): string | null {
  const { key, shiftKey } = event;
  if (key === 'Enter') return event.ctrlKey || event.metaKey ? '$mod+Enter' : null;
  const small = key.toLowerCase();
  // The one letter whose small form is two characters (İ) has no name of one key.
  if ([...key].length !== 1 || [...small].length !== 1 || key.trim() === '') return null;
  if (event.ctrlKey || event.metaKey) return `$mod+${small}`;
  // A letter is told apart from itself with Shift; any other character may need Shift on this layout or another.
  if (!/^\p{L}$/u.test(key)) return `[Shift]+${key}`;
  return shiftKey ? `Shift+${small}` : small;
}
