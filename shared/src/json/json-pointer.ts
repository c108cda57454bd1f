// Steps of JSON pointers (RFC 6901): written into a pointer, and read from one.

/** A step as a pointer has it. */
export const escapePart = (name: string | number): string => String(name).replaceAll('~', '~0').replaceAll('/', '~1');

/** The steps of a pointer; none for the whole value. */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
