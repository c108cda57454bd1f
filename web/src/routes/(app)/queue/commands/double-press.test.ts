// @vitest-environment happy-dom
// QU2: the second press of a double click or double tap has no effect on a control that appeared after the first.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dropDoublePresses } from './double-press.ts';
import { InputGuard } from './input-guard.svelte.ts';

let pressed: string[];
let stop: () => void;

beforeEach(() => {
  pressed = [];
  document.body.innerHTML = '<button>A</button>';
  stop = dropDoublePresses();
  document.body.addEventListener('click', recordClick);
});
afterEach(() => {
  stop();
  document.body.removeEventListener('click', recordClick);
});

const recordClick = ({ target }: Event) => pressed.push(target instanceof Element ? target.textContent : '');

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
  it.each([80, 150, 250, 350, 450])('of the same hand is dropped on another button %d ms later', (ms) => {
    click(1000);
    show('<button>B</button>');
    click(1000 + ms);
    expect(pressed).toEqual(['A']);
  });

  it('belongs to the first press also when it is the third, and a later one does not', () => {
    click(1000);
    show('<button>B</button>');
    click(1200);
    click(1400);
    expect(pressed).toEqual(['A']);
    click(1800);
    expect(pressed).toEqual(['A', 'B']);
  });

  it('counts after the double-press interval', () => {
    click(1000);
    show('<button>B</button>');
    click(1500);
    expect(pressed).toEqual(['A', 'B']);
  });

  it('counts at another place', () => {
    click(1000);
    show('<button>B</button>');
    click(1100, { x: 140 });
    expect(pressed).toEqual(['A', 'B']);
  });

  it('counts on the very same button, unless it decides', () => {
    click(1000);
    click(1100);
    expect(pressed).toEqual(['A', 'A']);
    show('<button data-once>C</button>');
    click(3000);
    click(3100);
    expect(pressed).toEqual(['A', 'A', 'C']);
  });

  it('is recognized by its label when assistive technology sends it without a position', () => {
    click(1000, { detail: 0 });
    show('<button>A</button><i role="option" tabindex="0">B</i>');
    click(1200, { detail: 0 });
    expect(pressed).toEqual(['A']);
    click(1250, { detail: 0, on: 'i' });
    expect(pressed).toEqual(['A', 'B']);
  });

  it('is the same press when a label forwards it to its field', () => {
    show('<label>L <input type="checkbox"></label>');
    // The test's browser forwards the click at another time and place, so the test forwards it.
    document.querySelector('label')?.addEventListener('click', (event) => event.preventDefault(), { once: true });
    click(1000, { on: 'label' });
    click(1000, { on: 'input' });
    expect(pressed).toHaveLength(2);
  });
});

describe('QU2: regular presses', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /**
   * Returns which presses (ms) decide when one comes every `every` ms for six seconds and the next item appears `late` ms after
   * each decision.
   */
  async function decidedBy(every: number, late: number): Promise<number[]> {
    const [guard, decided] = [new InputGuard(), Array<number>()];
    const showNextItem = () => {
      const id = String(decided.length);
      guard.setItem(id, true);
      show('<button data-once aria-disabled="true">Approve</button>');
      setTimeout(() => void guard.observe({ id, loaded: true }), late);
    };
    showNextItem();
    await vi.advanceTimersByTimeAsync(5000);
    let now = 0;
    const decide = () => {
      if (!guard.has(String(decided.length))) return;
      decided.push(now);
      showNextItem();
    };
    document.body.addEventListener('click', decide);
    for (; now < 6000; now += every) {
      if (guard.has(String(decided.length))) document.querySelector('button')?.removeAttribute('aria-disabled');
      click(now + 10_000);
      await vi.advanceTimersByTimeAsync(every);
    }
    document.body.removeEventListener('click', decide);
    return decided;
  }

  const each = (ms: number) => Array.from({ length: Math.ceil(6000 / ms) }, (_, at) => at * ms);
  it.each([
    { every: 800, late: 0, decides: 800 },
    { every: 600, late: 0, decides: 600 },
    { every: 600, late: 200, decides: 600 },
    { every: 500, late: 0, decides: 500 },
    { every: 450, late: 0, decides: 900 },
    { every: 300, late: 0, decides: 600 },
    { every: 200, late: 0, decides: 600 },
    // A press before the item was seen does not count as a first press: the next one counts.
    { every: 450, late: 700, decides: 1350 },
    { every: 600, late: 700, decides: 1200 },
  ])('at intervals of $every ms decide each $decides ms where items appear after $late', async (testCase) => {
    expect(await decidedBy(testCase.every, testCase.late)).toEqual(each(testCase.decides));
  });
});
