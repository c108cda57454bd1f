// The widths at which the page changes its panes; the same as the `md:` and `xl:` of the style sheet.
import { MediaQuery } from 'svelte/reactivity';

/** One column: the item is pushed over the list. */
export const phone = new MediaQuery('(width < 48rem)');
/** Three panes: the views stand beside the list. */
export const wide = new MediaQuery('(width >= 80rem)');
