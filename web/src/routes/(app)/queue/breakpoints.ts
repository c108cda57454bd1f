// The widths at which the page changes its panes; they equal the `md:` and `xl:` of the style sheet.
import { MediaQuery } from 'svelte/reactivity';

/** One column: the item covers the list. */
export const phone = new MediaQuery('(width < 48rem)');
/** Three panes: the views are beside the list. */
export const wide = new MediaQuery('(width >= 80rem)');
