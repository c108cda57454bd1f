// How one block of values is shown just now; what is inside it follows.
import { getContext, setContext } from 'svelte';
import type { Code } from './json/code-editor.ts';

export class View {
  /** Long lines are broken. */
  wrap = $state(true);
  /** Spaces, tabs and line ends are drawn. */
  space = $state(false);
  /** Nothing is cut or folded: it is what is decided on, or something is being looked for in it. */
  all = $state(false);
  /** The large view in it, which has a search of its own. */
  code: Code | null = $state.raw(null);
}

const KEY = Symbol('view');

export const setView = (view: View): View => setContext(KEY, view);

/** Nobody changes this one. */
const usual = new View();

/** The view of the block round it; the usual one where there is none. */
export const getView = (): View => getContext<View | undefined>(KEY) ?? usual;
