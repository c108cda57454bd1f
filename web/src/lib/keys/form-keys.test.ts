// The keys of a form: which one sends, which one closes, and what the page sees of them.
import { describe, expect, it } from 'vitest';
import { formKeys } from './form-keys.ts';

/** What a key does: `send` or `close`, and whether the page still sees it. */
function pressed(init: Partial<KeyboardEvent>): { done: string[]; seen: boolean } {
  const done: string[] = [];
  let seen = true;
  const event = {
    ...{ key: 'a', ctrlKey: false, metaKey: false, isComposing: false, repeat: false, ...init },
    ...{ preventDefault: () => undefined, stopPropagation: () => (seen = false) },
  };
  formKeys({ send: () => done.push('send'), close: () => done.push('close') })(event as unknown as KeyboardEvent);
  return { done, seen };
}

describe('formKeys', () => {
  it.each<[string, Partial<KeyboardEvent>, string[], boolean]>([
    ['Ctrl+Enter sends', { key: 'Enter', ctrlKey: true }, ['send'], false],
    ['Cmd+Enter sends', { key: 'Enter', metaKey: true }, ['send'], false],
    ['Escape closes', { key: 'Escape' }, ['close'], false],
    ['Enter alone is typed', { key: 'Enter' }, [], true],
    ['Enter of an input method is typed', { key: 'Enter', ctrlKey: true, isComposing: true }, [], true],
    ['Escape of an input method is typed', { key: 'Escape', isComposing: true }, [], true],
    ['Enter that ends a composition is typed', { key: 'Enter', ctrlKey: true, keyCode: 229 }, [], true],
    ['a held key sends once', { key: 'Enter', ctrlKey: true, repeat: true }, [], false],
    ['a held Escape closes once', { key: 'Escape', repeat: true }, [], false],
    ['any other key is typed', { key: 'x', ctrlKey: true }, [], true],
  ])('%s', (_, init, done, seen) => {
    expect(pressed(init)).toEqual({ done, seen });
  });
});
