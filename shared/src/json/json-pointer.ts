// Steps of JSON pointers (RFC 6901): written into a pointer, and read from one.

/** A step as a pointer has it. */
export const escapePart = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Characters of a pointer that a refusal sends, encoded: a key has hundreds, each of up to nine. A longer pointer ends at
 * the last step that has room, so that it names what contains the fault.
 */
export const MAX_POINTER = 500;

/** The steps of a pointer; none for the whole value. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
