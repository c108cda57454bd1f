// The sizes at which the page changes its panes; the widths equal `md:`, `xl:` and `min-[100rem]:` of the style sheet.
import { MediaQuery } from 'svelte/reactivity';

/** One column: the item covers the list. */
export const phone = new MediaQuery('(width < 48rem)');
/** Three panes: the views are beside the list. */
export const wide = new MediaQuery('(width >= 80rem)');
/** Input and suggestion are side by side. */
export const beside = new MediaQuery('(width >= 100rem)');
/** So little height that the item scrolls as one, as at 200 % zoom. */
export const low = new MediaQuery('(height < 40rem)');
