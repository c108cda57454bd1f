// @vitest-environment happy-dom
// Tests QU10: a key typed into a field, or into an element the page did not create, is no command.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listenToKeys } from './key-listener.svelte.ts';

let ran: string[];
let stop: () => void;

beforeEach(() => {
  ran = [];
  stop = listenToKeys({
    situation: () => ({ scopes: ['anywhere', 'list', 'item', 'editor'], pending: false, actionsEnabled: true }),
    can: () => true,
    run: (command) => ran.push(command) > 0,
  });
});
afterEach(() => stop());

const composed = (key: string) => ({ key, bubbles: true, composed: true, cancelable: true });

describe('QU10: typing into a field', () => {
  /** A field in the shadow root of an element, inside the page or beside it. */
  function field(mode: ShadowRootMode, tag: string, into: Element): Element {
    const host = document.createElement(tag);
    into.append(host);
    const input = document.createElement('input');
    host.attachShadow({ mode }).append(input);
    input.focus();
    return input;
  }

  it.each([
    ['open', 'div', true],
    ['open', 'x-helper', false],
    ['closed', 'div', false],
    ['closed', 'x-helper', true],
    ['closed', 'x-helper', false],
  ] as const)(
    'fires no command in the %s shadow root of a <%s>, in the page or beside it (%s)',
    (mode, tag, inside) => {
      document.body.innerHTML = '<div id="app"></div>';
      const into = inside ? document.querySelector('#app') : document.body;
      const input = field(mode, tag, into ?? document.body);
      for (const key of 'ar1') input.dispatchEvent(new KeyboardEvent('keydown', composed(key)));
      expect(ran).toEqual([]);
    },
  );

  it.each(['<div tabindex="0">', '<div contenteditable>', '<button>', '<input>'])(
    'fires no command in a %s that an extension has added to the page',
    (html) => {
      document.body.innerHTML = `<div id="app"></div>${html}`;
      const { lastElementChild } = document.body;
      lastElementChild?.dispatchEvent(new KeyboardEvent('keydown', composed('a')));
      lastElementChild?.dispatchEvent(new KeyboardEvent('keydown', { ...composed('Enter'), ctrlKey: true }));
      expect(ran).toEqual([]);
    },
  );

  it('leaves keys on the page itself active', () => {
    document.body.innerHTML = '<div id="app"><div tabindex="-1"></div></div>';
    document.querySelector('#app > div')?.dispatchEvent(new KeyboardEvent('keydown', composed('a')));
    document.body.dispatchEvent(new KeyboardEvent('keydown', composed('a')));
    window.dispatchEvent(new KeyboardEvent('keydown', composed('a')));
    expect(ran).toEqual(['approve', 'approve', 'approve']);
  });
});
