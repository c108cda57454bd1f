// Finds selectors with which one child that comes or goes makes the browser compute the styles of everything beside it again.

/** A pseudo-class of an element's place among its siblings, before a combinator: it decides about other elements than that one. */
const PLACE_OF_ANOTHER =
  /:(?:first|last|only|nth(?:-last)?)-(?:child|of-type)(?:\([^)]*\))?[^\s>+~,(){}]*\s*[\s>+~][^,){}]/;

/**
 * The selectors of a style sheet that ask for the place of an element among its siblings to style another one: with
 * `:last-child > *`, each row that a list appends restyles the whole list. Let the component decide instead and set a class.
 */
export function wideSelectors(css: string): string[] {
  const selectors = css.match(/[^{}@;]+(?=\{)/g) ?? [];
  return selectors.map((selector) => selector.trim()).filter((selector) => PLACE_OF_ANOTHER.test(selector));
}
