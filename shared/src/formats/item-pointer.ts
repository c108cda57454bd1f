// JSON pointers (RFC 6901) that start at an item: `/input/body`, `/suggestion` (ST2).

const ITEM_POINTER = /^\/(?:input|suggestion)(?:\/(?:[^~/\p{Cc}]|~[01])*)*$/u;

/** Whether a text points to the input or the suggestion of an item, or into it. */
export const isItemPointer = (text: string): boolean => ITEM_POINTER.test(text) && text.isWellFormed();
