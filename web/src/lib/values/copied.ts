// What is copied of a value: a text as it is, anything else as JSON with its numbers as they were sent.
import type { Json } from '@countersign/shared/json';
import { printJson } from './lossless.ts';

export const copied = (value: Json): string => (typeof value === 'string' ? value : printJson(value));
