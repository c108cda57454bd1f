// The clipboard text of a value: a text as it is, anything else as JSON with the original spelling of its numbers.
import type { Json } from '@countersign/shared/json/json';
import { printJson } from './json/lossless.ts';

export const clipboardText = (value: Json): string => (typeof value === 'string' ? value : printJson(value));
