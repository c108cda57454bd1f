// One key press: whether it matches a binding, and the name of a recorded press.
import { matchKeybindingPress, parseKeybinding } from 'tinykeys';

/** The part of a key event that is compared. */
export type Press = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock', 'Fn', 'NumLock', 'OS']);

/** A key that only changes the meaning of other keys. */
export const isModifier = ({ key }: Pick<KeyboardEvent, 'key'>): boolean => MODIFIERS.has(key);

/** The part of a key event that says whether an input method has taken it. */
export type ComposedPress = Pick<KeyboardEvent, 'isComposing' | 'key' | 'keyCode'>;

/** The key code browsers report for every key that an input method has taken; some report nothing else. */
const IME_KEY_CODE = 229;

/** Whether a key goes to an input method, which makes a character of it (rule QU10). */
export const composing = ({ isComposing, key, keyCode }: ComposedPress): boolean =>
  isComposing || key === 'Process' || key === 'Unidentified' || keyCode === IME_KEY_CODE;

const parsed = new Map<string, ReturnType<typeof parseKeybinding>[number] | undefined>();

function partsOf(key: string): ReturnType<typeof parseKeybinding>[number] | undefined {
  if (!parsed.has(key)) parsed.set(key, parseKeybinding(key)[0]);
  return parsed.get(key);
}

/** Whether the event is this key by its character, in any layout. */
export function isKey(event: KeyboardEvent, key: string): boolean {
  const parts = partsOf(key);
  return parts !== undefined && matchKeybindingPress(event, parts);
}

const LETTER = /^Key([A-Z])$/;
const DIGIT = /^(?:Digit|Numpad)([1-9])$/;

const LATIN = /^[a-z]$/i;

/** Letters and combining marks of non-Latin scripts. */
const isForeign = (key: string): boolean => /[\p{L}\p{M}]/u.test(key) && !/\p{Script=Latin}/u.test(key);

/** Whether a press gives a character, one or several at once; named keys are words of plain letters. */
export const isCharacter = (key: string): boolean => [...key].length === 1 || !/^[A-Z]\w*$/.test(key);

/** Remembers whether the layout in use has Latin letters: where it has none, letter keys match by position. */
class Layout {
  latin = true;

  record({ key, code, ctrlKey, metaKey, altKey }: Press): void {
    if (!LETTER.test(code) || ctrlKey || metaKey || altKey) return;
    if (LATIN.test(key)) this.latin = true;
    else if (isCharacter(key) && isForeign(key)) this.latin = false;
  }
}

export const layout = new Layout();

/**
 * Whether the event is this key by its position: for a letter where the layout has no Latin ones, for a digit where it requires
 * Shift.
 */
export function isPhysicalKey(event: KeyboardEvent, key: string): boolean {
  const parts = partsOf(key);
  const named = physicalKeyOf(event);
  if (parts === undefined || named === null || String(parts[2]).toUpperCase() !== named) return false;
  return matchKeybindingPress(event, [parts[0], parts[1], event.code]);
}

function physicalKeyOf(event: Press): string | null {
  const digit = digitOf(event);
  return Number.isNaN(digit) ? letterOf(event) : String(digit);
}

function letterOf({ key, code }: Press): string | null {
  if (LATIN.test(key) || !isCharacter(key)) return null;
  return isForeign(key) || !layout.latin ? (LETTER.exec(code)?.[1] ?? null) : null;
}

/** Whether a letter key of Latin layouts gives punctuation in this one: then it matches only by position. */
export const isPhysicalOnly = (event: Press): boolean => letterOf(event) !== null && !isForeign(event.key);

/** The digit of a press, by its character or by its position; NaN when it is none. */
export function digitOf({ key, code, shiftKey }: Press): number {
  if (/^\d$/.test(key)) return Number(key);
  const place = Number(DIGIT.exec(code)?.[1] ?? NaN);
  if (code.startsWith('Numpad')) return /^\p{Nd}$/u.test(key) ? place : NaN;
  return shiftKey || !(isCharacter(key) || key === 'Dead') ? NaN : place;
}

/** The common form of keys that are pressed alike. */
export const sameKey = (key: string): string => key.replace('[Shift]+', '').toLowerCase();

/** The name of a press in the keymap's syntax; null for a press that gives no character of its own. */
export function nameOf(event: Press): string | null {
  const { key, shiftKey } = event;
  if (key === 'Enter') return event.ctrlKey || event.metaKey ? '$mod+Enter' : null;
  const small = key.toLowerCase();
  // The one letter whose small form is two characters (İ) has no name of one key.
  if ([...key].length !== 1 || [...small].length !== 1 || key.trim() === '') return null;
  if (event.ctrlKey || event.metaKey) return `$mod+${small}`;
  // A letter differs from itself with Shift; any other character may need Shift on this layout or another.
  if (!/^\p{L}$/u.test(key)) return `[Shift]+${key}`;
  return shiftKey ? `Shift+${small}` : small;
}
