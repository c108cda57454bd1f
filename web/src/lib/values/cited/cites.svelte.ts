// The sources of an answer, and the one that is pointed at: shared by the marks in the text and the list below it.
import type { Json } from '@countersign/shared/json/json';
import { getContext, setContext } from 'svelte';

export class Cites {
  entries: readonly Json[] = $state.raw([]);
  /** The index of the source that is highlighted with all of its marks; -1 for none. */
  active = $state(-1);
  /** The elements of the list and of the first marks, to go to. */
  readonly places: (HTMLElement | undefined)[] = [];
  readonly marks: (HTMLElement | undefined)[] = [];

  toSource(entry: number): void {
    this.active = entry;
    go(this.places[entry]);
  }

  toMark(entry: number): void {
    this.active = entry;
    go(this.marks[entry]);
  }
}

function go(element: HTMLElement | undefined): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest' });
}

const KEY = Symbol('cites');

export const setCites = (cites: Cites): Cites => setContext(KEY, cites);
/** Undefined outside of an answer with sources. */
export const getCites = (): Cites | undefined => getContext<Cites | undefined>(KEY);
