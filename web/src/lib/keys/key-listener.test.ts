// @vitest-environment happy-dom
// Key presses: what fires after a remapping, what stays silent, and navigation between pages.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyboard, listenToKeys, onCommands } from './key-listener.svelte.ts';
import { capsOf, keyOf, keySettings, titleOf } from './key-settings.svelte.ts';
import { panels } from './panels.svelte.ts';
import type { Command, KeyScope } from './command.ts';

let ran: Command[];
let page: { scopes: KeyScope[]; pending: boolean; actionsEnabled: boolean };
let stops: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  document.body.innerHTML = '';
  ran = [];
  page = { scopes: ['anywhere', 'list', 'item'], pending: false, actionsEnabled: true };
  stops = [
    keySettings.follow('ana'),
    listenToKeys({ situation: () => page, can: () => true, run: (command) => ran.push(command) > 0 }),
  ];
});
afterEach(() => {
  stops.forEach((stop) => stop());
  keyboard.going = false;
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

interface How {
  code?: string;
  shiftKey?: boolean;
  ctrlKey?: boolean;
  repeat?: boolean;
  on?: Element;
}

/** A press as browsers report it; happy-dom has no modifiers of its own. */
function press(key: string, { on = document.body, ...how }: How = {}): Event {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...how });
  const held: Record<string, boolean> = { Shift: how.shiftKey ?? false, Control: how.ctrlKey ?? false };
  Object.defineProperty(event, 'getModifierState', { value: (name: string) => held[name] ?? false });
  on.dispatchEvent(event);
  return event;
}

const presses = (...keys: string[]): Command[] => {
  keys.forEach((key) => press(key));
  return ran.splice(0);
};

describe('QU5: changed keys', () => {
  it('fire, and the old ones do not; caps and titles follow', () => {
    expect(presses('a', 'h')).toEqual(['approve']);
    expect(keySettings.change('approve', 'h')).toBe(true);
    expect(presses('a')).toEqual([]);
    expect(presses('h')).toEqual(['approve']);
    expect([keyOf('approve'), capsOf('approve'), titleOf('Approve', 'approve')]).toEqual(['H', ['H'], 'Approve (H)']);
    keySettings.back('approve');
    expect(presses('a', 'h')).toEqual(['approve']);
  });

  it('are stored for their user in this browser, and for nobody else', () => {
    keySettings.change('approve', 'h');
    stops.push(keySettings.follow('ben'));
    expect(keyOf('approve')).toBe('A');
    stops.push(keySettings.follow('ana'));
    expect(keyOf('approve')).toBe('H');
  });

  it('follow changes of the same user in another tab', () => {
    localStorage.setItem('countersign.keys.ana', JSON.stringify({ on: false, keys: { approve: 'h' } }));
    window.dispatchEvent(new StorageEvent('storage', { key: 'countersign.keys.ana' }));
    expect([keyOf('approve'), keySettings.on]).toEqual(['H', false]);
    window.dispatchEvent(new StorageEvent('storage', { key: null }));
    expect(keySettings.on).toBe(false);
    localStorage.clear();
    window.dispatchEvent(new StorageEvent('storage', { key: null }));
    expect([keyOf('approve'), keySettings.on]).toEqual(['A', true]);
  });

  it.each(['', 'null', '7', '{"on":1,"keys":[]}', '{"keys":{"approve":"Enter"}}', '{'])(
    'survive %s in the storage',
    (text) => {
      localStorage.setItem('countersign.keys.ana', text);
      stops.push(keySettings.follow('ana'));
      expect([keyOf('approve'), keySettings.on]).toEqual(['A', true]);
    },
  );

  it('last for this tab where the browser stores nothing, with a notice', () => {
    const full = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    vi.stubGlobal('localStorage', { getItem: () => null, setItem: full });
    expect(keySettings.change('approve', 'h')).toBe(true);
    expect([keyOf('approve'), keySettings.lasting]).toEqual(['H', false]);
    vi.unstubAllGlobals();
    keySettings.allBack();
    expect([keyOf('approve'), keySettings.lasting]).toEqual(['A', true]);
  });

  it('switched off: single letters do nothing on any page, named keys and combinations work', () => {
    let created = 0;
    page = { ...page, scopes: ['anywhere'] };
    stops.push(onCommands({ create: () => (created += 1) }, 'projects'));
    press('c');
    expect(created).toBe(1);
    ran = [];
    page = { ...page, scopes: ['anywhere', 'list', 'item'] };
    keySettings.on = false;
    for (const key of 'abcdefghijklmnopqrstuvwxyz.?/1'.split('')) press(key);
    press('X', { shiftKey: true });
    expect([ran, created, titleOf('Approve', 'approve')]).toEqual([[], 1, 'Approve']);
    press('Enter');
    press('ArrowDown');
    press('k', { ctrlKey: true });
    expect(ran).toEqual(['open', 'down', 'palette']);
  });
});

describe('layouts', () => {
  it('match by the character a key gives', () => {
    press('a', { code: 'KeyQ' });
    press('A', { code: 'KeyA' });
    press('?', { code: 'Minus', shiftKey: true });
    press('/', { code: 'Digit7', shiftKey: true });
    expect(ran).toEqual(['approve', 'approve', 'help', 'filter']);
  });

  it('match by position where a key gives no Latin letter, or a digit only with Shift', () => {
    page = { ...page, scopes: ['anywhere', 'list', 'item', 'reasons'] };
    press('ф', { code: 'KeyA' });
    press('&', { code: 'Digit1' });
    press('!', { code: 'Digit1', shiftKey: true });
    expect(ran).toEqual(['approve', 'reason']);
    keySettings.change('next', 'ф');
    press('ф', { code: 'KeyA' });
    expect(ran.at(-1)).toBe('next');
  });
});

describe('QU2: guards', () => {
  it.each(['input', 'textarea', 'select', 'div contenteditable=""', 'div role="textbox"', 'div role="combobox"'])(
    'nothing fires in <%s>',
    (tag) => {
      document.body.innerHTML = `<div id="app"><${tag}></${tag.split(' ')[0] ?? ''}></div>`;
      press('a', { on: document.querySelector('#app > *') ?? expect.fail('no field') });
      expect(ran).toEqual([]);
    },
  );

  it('the options of a field cover nothing: its form is still sent', () => {
    page = { ...page, scopes: ['anywhere', 'editor'] };
    document.body.innerHTML = '<div id="app"><input role="combobox"><ul role="listbox"></ul></div>';
    press('Enter', { ctrlKey: true, on: document.querySelector('input') ?? expect.fail('no field') });
    expect(ran).toEqual(['submit']);
  });

  it.each(['dialog', 'alertdialog', 'menu'])('nothing fires under a %s', (role) => {
    document.body.innerHTML = `<div role="${role}"></div>`;
    press('a');
    press('Escape');
    expect(ran).toEqual([]);
  });

  it('a key held down decides once', () => {
    press('a');
    press('a', { repeat: true });
    press('j', { repeat: true });
    expect(ran).toEqual(['approve', 'down']);
  });

  it('a digit alone decides nothing, after any other key', () => {
    page = { ...page, actionsEnabled: false };
    press('r');
    page = { ...page, actionsEnabled: true };
    for (const digit of '123456789') press(digit);
    expect(ran).toEqual([]);
  });

  it('a digit selects a reason as soon as the prompt is open', () => {
    page = { ...page, scopes: ['anywhere', 'list', 'item', 'reasons'] };
    press('1');
    expect(ran).toEqual(['reason']);
  });
});

describe('QU2: a panel that is loading', () => {
  afterEach(() => Object.assign(panels, { help: false, palette: false, typed: '' }));

  it('takes the keys typed for it, and nothing decides meanwhile', () => {
    panels.palette = true;
    for (const key of 'app') press(key);
    press('Enter');
    expect([ran, panels.typed]).toEqual([[], 'app']);
    press('Escape');
    expect([panels.palette, ran]).toEqual([false, []]);
    panels.help = true;
    press('a');
    expect(ran).toEqual([]);
  });
});

describe('navigation between pages', () => {
  const layer = (wanted: Command[]) =>
    listenToKeys({
      situation: () => ({ scopes: ['anywhere'], pending: false, actionsEnabled: true }),
      run: (command) => {
        if (command === 'go') keyboard.go();
        return (command === 'go' || command.startsWith('go')) && wanted.push(command) > 0;
      },
    });

  /** A page, and the layer below it that navigates; returns the commands that layer received. */
  const onTheWay = (): Command[] => {
    const wanted: Command[] = [];
    stops[1]?.();
    stops.push(
      layer(wanted),
      listenToKeys({
        situation: () => page,
        run: (command) => command !== 'go' && !command.startsWith('go') && ran.push(command) > 0,
      }),
    );
    return wanted;
  };

  it('takes two keys, and the second one has no other effect', () => {
    const wanted = onTheWay();
    press('g');
    expect(keyboard.going).toBe(true);
    press('a');
    expect([wanted, ran, keyboard.going]).toEqual([['go', 'goAnalytics'], [], false]);
    press('a');
    expect(ran).toEqual(['approve']);
  });

  it('waits only a moment, and ends with a key that selects no page', () => {
    const wanted = onTheWay();
    press('g');
    press('r');
    expect([ran, keyboard.going]).toEqual([[], false]);
    press('g');
    vi.advanceTimersByTime(2000);
    press('a');
    expect([wanted, ran]).toEqual([['go', 'go'], ['approve']]);
  });
});
