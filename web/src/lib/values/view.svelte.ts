// The display state of one block of values, shared with its nested values.
import type { Json } from '@countersign/shared/json/json';
import { getContext, setContext } from 'svelte';
import type { FixedKinds } from './kinds/pointers.ts';
import type { Code } from './json/code-editor.ts';

export class View {
  /** Long lines are wrapped. */
  wrap = $state(true);
  /** Spaces, tabs and line endings are drawn. */
  space = $state(false);
  /** Nothing is cut or folded: it is the suggestion to decide on, or a search is open. */
  all = $state(false);
  /** A value of an open item: a text folds from about three screens on. */
  readonly long: boolean;
  /** Its large view, which has its own search. */
  code: Code | null = $state.raw(null);
  /** The value of the block itself: what lies beside a picture is looked up in it. */
  value: Json = $state.raw(null);
  /** The input that the value answers: cells that differ are marked, quotes are looked up in it. */
  reference: Json | undefined = $state.raw(undefined);
  /** The kinds the project fixed. */
  kinds: FixedKinds = $state.raw({});

  constructor(long = false) {
    this.long = long;
  }
}

const KEY = Symbol('view');

export const setView = (view: View): View => setContext(KEY, view);

/** The default, which never changes. */
const usual = new View();

/** The view of the enclosing block; the default where there is none. */
export const getView = (): View => getContext<View | undefined>(KEY) ?? usual;
