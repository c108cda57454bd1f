// The height that the notices between the top bar and the page take.

/**
 * In pixels. A page that fills the screen sets it as `--notices` on the element with `h-page` or `min-h-page`, which leaves it
 * free. The property is not inherited: set on the root it would make the browser compute the styles of every element again.
 */
export const noticesSpace = $state({ height: 0 });
