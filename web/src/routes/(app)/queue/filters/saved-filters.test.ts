// Saved filters in a browser that stores them, one that does not, and one with invalid contents.
import { describe, expect, it } from 'vitest';
import { MOST_SAVED, scopeOf } from './saved-filter.ts';
import { SavedFilters } from './saved-filters.svelte.ts';

const SCOPE = {
  view: 'all',
  projectId: '019a0000-0000-7000-8000-00000000abcd',
  filter: { flag: 'pii', text: '100 %' },
} as const;

function browser(stored: Record<string, string> = {}) {
  const values = new Map(Object.entries(stored));
  const getItem = (key: string) => values.get(key) ?? null;
  const setItem = (key: string, value: string) => void values.set(key, value);
  return { values, store: { getItem, setItem, removeItem: (key: string) => void values.delete(key) } };
}

describe('saved filters', () => {
  it('are restored completely, for the same user only', () => {
    const { store } = browser();
    expect(new SavedFilters('ana', store).add(' Mine to check ', SCOPE)).toBeNull();
    const [saved] = new SavedFilters('ana', store).list;
    expect(saved?.name).toBe('Mine to check');
    expect(saved && scopeOf(saved)).toEqual(SCOPE);
    expect(new SavedFilters('ben', store).list).toEqual([]);
  });

  it('saving filters also saves the plain list', () => {
    const { store } = browser();
    const saved = new SavedFilters('ana', store);
    saved.add('Everything', { view: 'available', projectId: null });
    expect(saved.list.map(scopeOf)).toEqual([{ view: 'available', projectId: null }]);
  });

  it('have unique names, case-insensitively', () => {
    const saved = new SavedFilters('ana', browser().store);
    expect([saved.add('One', SCOPE), saved.add('Two', SCOPE)]).toEqual([null, null]);
    expect(saved.add('oNE ', SCOPE)).toBe('taken');
    expect(saved.add('  ', SCOPE)).toBe('noName');
    expect(saved.rename('Two', 'one')).toBe('taken');
    expect(saved.rename('Two', 'TWO')).toBeNull();
    expect(saved.rename('TWO', '')).toBe('noName');
    saved.remove('One');
    expect(saved.list.map(({ name }) => name)).toEqual(['TWO']);
  });

  it('include what another tab saved, and do not restore what it removed', () => {
    const { store } = browser();
    const [here, there] = [new SavedFilters('ana', store), new SavedFilters('ana', store)];
    const stored = () => new SavedFilters('ana', store).list.map(({ name }) => name);
    here.add('One', SCOPE);
    there.add('Two', SCOPE);
    expect([stored(), there.add('one', SCOPE)]).toEqual([['One', 'Two'], 'taken']);
    here.rename('Two', 'Second');
    expect(stored()).toEqual(['One', 'Second']);
    there.remove('One');
    expect(stored()).toEqual(['Second']);
  });

  it('are limited to twenty', () => {
    const saved = new SavedFilters('ana', browser().store);
    for (let at = 0; at < MOST_SAVED; at++) expect(saved.add(`Filter ${at}`, SCOPE)).toBeNull();
    expect(saved.add('One more', SCOPE)).toBe('full');
    expect(saved.list).toHaveLength(MOST_SAVED);
  });

  it.each(['{', 'null', '7', '[1,null,{"name":1}]', '[{"name":"","query":""}]'])(
    'reads %s as no saved filters',
    (stored) => {
      const { store } = browser({ 'countersign.queue.saved.ana': stored });
      expect(new SavedFilters('ana', store).list).toEqual([]);
    },
  );

  it('last as long as the tab where the browser stores nothing', () => {
    const full = {
      getItem: () => null,
      removeItem: () => undefined,
      setItem: () => {
        throw new Error('The quota is exceeded.');
      },
    };
    for (const store of [null, full]) {
      const saved = new SavedFilters('ana', store);
      saved.add('One', SCOPE);
      expect([saved.list.length, saved.persisted]).toEqual([1, false]);
      saved.add('Two', SCOPE);
      expect(saved.list.length).toBe(2);
    }
  });
});
