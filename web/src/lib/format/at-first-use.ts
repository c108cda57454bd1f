// Makes a value when it is first used, and returns the same one from then on.

/**
 * For values that take time to make and that a page may not need: the first formatter of a page loads the data of the user's
 * locale, which takes a phone 50 ms.
 */
export function atFirstUse<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
