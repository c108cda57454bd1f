// What an edit changed, as a patch that makes the one answer of the other (RFC 6902).
import jsonPatch, { type Operation } from 'fast-json-patch';

/** Of JSON text; no operation where both are the same value. Arrays are compared place by place, so that it takes no longer than to read them. */
export function diffOf(before: string, after: string): Operation[] {
  const [from, to] = [JSON.parse(before) as unknown, JSON.parse(after) as unknown];
  if (isBranch(from) && isBranch(to) && Array.isArray(from) === Array.isArray(to)) return jsonPatch.compare(from, to);
  return Object.is(from, to) ? [] : [{ op: 'replace', path: '', value: to }];
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
