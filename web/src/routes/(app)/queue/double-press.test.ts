// @vitest-environment happy-dom
// QU2: the second press of a double click or double tap does nothing to what was not there for the first.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropDoublePresses } from './double-press.ts';

let pressed: string[];
let stop: () => void;

beforeEach(() => {
  pressed = [];
  document.body.innerHTML = '<button>A</button>';
  stop = dropDoublePresses();
  document.body.addEventListener('click', hear);
});
afterEach(() => {
  stop();
  document.body.removeEventListener('click', hear);
});

const hear = ({ target }: Event) => pressed.push(target instanceof Element ? target.textContent : '');

/** What is under the pointer now; the button of another item is another button. */
function show(html: string): void {
  document.body.innerHTML = html;
}

function click(at: number, { x = 100, detail = 1, on = 'button' } = {}): void {
  const event = new MouseEvent('click', { bubbles: true, cancelable: true, clientX: x, clientY: 50, detail });
  Object.defineProperty(event, 'timeStamp', { value: at });
  (document.querySelector(on) ?? document.body).dispatchEvent(event);
}

describe('QU2: a second press', () => {
  it.each([80, 150, 250, 350, 450])('of the same hand %d ms later does not reach another button', (ms) => {
    click(1000);
    show('<button>B</button>');
    click(1000 + ms);
    expect(pressed).toEqual(['A']);
  });

  it('of three belongs to the first as well', () => {
    click(1000);
    show('<button>B</button>');
    click(1400);
    click(1800);
    expect(pressed).toEqual(['A']);
    click(2300);
    expect(pressed).toEqual(['A', 'B']);
  });

  it('after the time of a double press counts', () => {
    click(1000);
    show('<button>B</button>');
    click(1500);
    expect(pressed).toEqual(['A', 'B']);
  });

  it('elsewhere counts: it is another one', () => {
    click(1000);
    show('<button>B</button>');
    click(1100, { x: 140 });
    expect(pressed).toEqual(['A', 'B']);
  });

  it('on the very same button counts, unless it decides', () => {
    click(1000);
    click(1100);
    expect(pressed).toEqual(['A', 'A']);
    show('<button data-once>C</button>');
    click(3000);
    click(3100);
    expect(pressed).toEqual(['A', 'A', 'C']);
  });

  it('by assistive technology, which has no place, is known by its words', () => {
    click(1000, { detail: 0 });
    show('<button>A</button><i role="option" tabindex="0">B</i>');
    click(1200, { detail: 0 });
    expect(pressed).toEqual(['A']);
    click(1250, { detail: 0, on: 'i' });
    expect(pressed).toEqual(['A', 'B']);
  });

  it('that a label passes on to its field is the same press', () => {
    show('<label>L <input type="checkbox"></label>');
    // The test's browser passes it on at a time and place of its own: here the test does.
    document.querySelector('label')?.addEventListener('click', (event) => event.preventDefault(), { once: true });
    click(1000, { on: 'label' });
    click(1000, { on: 'input' });
    expect(pressed).toHaveLength(2);
  });
});
