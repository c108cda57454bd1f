// Computes the changes of an edit as a JSON Patch from one answer to the other (RFC 6902).
import jsonPatch, { type Operation } from 'fast-json-patch';

/** Takes JSON text; returns no operation for equal values. Arrays are compared index by index, so that the time is linear. */
export function diffOf(before: string, after: string): Operation[] {
  const [from, to] = [JSON.parse(before) as unknown, JSON.parse(after) as unknown];
  if (isBranch(from) && isBranch(to) && Array.isArray(from) === Array.isArray(to)) return jsonPatch.compare(from, to);
  return Object.is(from, to) ? [] : [{ op: 'replace', path: '', value: to }];
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
