// @vitest-environment happy-dom
// QU11: the keys on national keyboard layouts. The tables list the characters without Shift, row by row.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from './command.ts';
import { KEYMAP } from './keymap.ts';
import { listenToKeys } from './key-listener.svelte.ts';
import { digitOf, layout } from './press.ts';
import { validatePress } from './validate-press.ts';

const CODES = [...'QWERTYUIOPASDFGHJKLZXCVBNM'].map((letter) => `Key${letter}`);
const DIGITS = '123456789';
const qwerty = 'q w e r t y u i o p a s d f g h j k l z x c v b n m';
const qwertz = 'q w e r t z u i o p a s d f g h j k l y x c v b n m';

/** Letters at the positions of a US keyboard, and the characters on its digits. */
const LAYOUTS: [string, string, string][] = [
  ['US', qwerty, '1 2 3 4 5 6 7 8 9'],
  ['French (AZERTY)', 'a z e r t y u i o p q s d f g h j k l w x c v b n ,', `& é " ' ( - è _ ç`],
  ['German', qwertz, '1 2 3 4 5 6 7 8 9'],
  ['Czech', qwertz, '+ ě š č ř ž ý á í'],
  ['Lithuanian', qwerty, 'ą č ę ė į š ų ū „'],
  ['Vietnamese', qwerty, 'ă â ê ô \u0300 \u0309 \u0303 \u0301 đ'],
  ['Turkish', 'q w e r t y u ı o p a s d f g h j k l z x c v b n m', '1 2 3 4 5 6 7 8 9'],
  ['Dvorak', "' , . p y f g c r l a o e u i d h t n ; q j k x b m", '1 2 3 4 5 6 7 8 9'],
  ['Russian', 'й ц у к е н г ш щ з ф ы в а п р о л д я ч с м и т ь', '1 2 3 4 5 6 7 8 9'],
  ['Greek', '; ς ε ρ τ υ θ ι ο π α σ δ φ γ η ξ κ λ ζ χ ψ ω β ν μ', '1 2 3 4 5 6 7 8 9'],
  ['Hebrew', "/ ' ק ר א ט ו ן ם פ ש ד ג כ ע י ח ל ך ז ס ב ה נ מ צ", '1 2 3 4 5 6 7 8 9'],
  ['Arabic', 'ض ص ث ق ف غ ع ه خ ح ش س ي ب ل ا ت ن م ئ ء ؤ ر لا ى ة', '١ ٢ ٣ ٤ ٥ ٦ ٧ ٨ ٩'],
  ['Thai', 'ๆ ไ ำ พ ะ ั ี ร น ย ฟ ห ก ด เ ้ ่ า ส ผ ป แ อ ิ ื ท', 'ๅ / - ภ ถ ุ ึ ค ต'],
  ['Hindi (InScript)', 'ौ ै ा ी ू ब ह ग द ज ो े ् ि ु प र क त ॆ ं म न व ल स', '१ २ ३ ४ ५ ६ ७ ८ ९'],
];

let ran: string[];
let scopes: ('anywhere' | 'list' | 'item' | 'reasons')[];
let stop: () => void;

beforeEach(() => {
  document.body.innerHTML = '';
  layout.latin = true;
  ran = [];
  scopes = ['anywhere', 'list', 'item'];
  stop = listenToKeys({
    situation: () => ({ scopes, pending: false, actionsEnabled: true }),
    can: () => true,
    run: (command, event) => ran.push(command === 'reason' && event ? `reason ${digitOf(event)}` : command) > 0,
  });
});
afterEach(() => stop());

function press(key: string, code: string, shiftKey = false): string[] {
  const event = new KeyboardEvent('keydown', { key, code, shiftKey, bubbles: true, cancelable: true });
  Object.defineProperty(event, 'getModifierState', { value: (name: string) => name === 'Shift' && shiftKey });
  document.body.dispatchEvent(event);
  return ran.splice(0);
}

/** The command of each single letter that works on an item. */
const LETTERS = KEYMAP.filter(
  ({ scope, keys }) => ['list', 'item'].includes(scope) && /^[a-z]$/.test(keys[0] ?? ''),
).map(({ command, keys }): [string, Command] => [keys[0] ?? '', command]);

describe.each(LAYOUTS)('QU11: on a %s keyboard', (_, letters, digits) => {
  const given = letters.split(' ');
  const latin = given.some((key) => key === 'a');

  it('every letter has its key: by character, or by position where the layout has none', () => {
    press(given[10] ?? '', 'KeyA');
    for (const [letter, command] of LETTERS) {
      const place = latin ? (CODES[given.indexOf(letter)] ?? 'Semicolon') : `Key${letter.toUpperCase()}`;
      const key = latin ? letter : (given[CODES.indexOf(place)] ?? '');
      expect([letter, press(key, place)]).toEqual([letter, [command]]);
    }
  });

  it('where the layout has Latin letters, a key that gives another character has no other meaning', () => {
    if (!latin) return;
    press('a', CODES[given.indexOf('a')] ?? '');
    for (const code of CODES) expect([code, press(',', code), press('é', code)]).toEqual([code, [], []]);
  });

  it('the digits select reasons while the prompt is open, and mean nothing before (R then 1)', () => {
    for (const [at, digit] of [...DIGITS].entries()) {
      const key = digits.split(' ')[at] ?? '';
      scopes = ['anywhere', 'list', 'item', 'reasons'];
      expect([key, press(key, `Digit${digit}`)]).toEqual([key, [`reason ${digit}`]]);
      expect([digit, press(digit, `Digit${digit}`, key !== digit)]).toEqual([digit, [`reason ${digit}`]]);
      scopes = ['anywhere', 'list', 'item'];
      if (key !== '/') expect([key, press(key, `Digit${digit}`)]).toEqual([key, []]);
      expect([digit, press(digit, `Digit${digit}`, key !== digit)]).toEqual([digit, []]);
    }
  });

  it('none of the digits can be chosen for a command: it would have two meanings during a reason prompt', () => {
    for (const [at, digit] of [...DIGITS].entries()) {
      const how = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
      const outcome = validatePress({ key: digits.split(' ')[at] ?? '', code: `Digit${digit}`, ...how }, 'approve', {});
      expect(outcome).toEqual({ kind: 'refused', why: 'digit' });
    }
  });
});

describe('QU11: the numeric keypad', () => {
  it.each([
    ['1', 'Numpad1', ['reason 1']],
    ['٣', 'Numpad3', ['reason 3']],
    ['End', 'Numpad1', []],
  ])('the key %s at %s chooses a reason only while it types a digit', (key, code, expected) => {
    scopes = ['anywhere', 'item', 'reasons'];
    expect(press(key, code)).toEqual(expected);
  });
});

it('QU11: a dead key on the digit row counts as its digit', () => {
  scopes = ['anywhere', 'item', 'reasons'];
  expect(press('Dead', 'Digit5')).toEqual(['reason 5']);
  expect(press('Dead', 'KeyA')).toEqual([]);
});
