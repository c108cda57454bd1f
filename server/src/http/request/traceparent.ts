// The W3C Trace Context of a submission, which its webhooks carry on (WH9).

/** Version, trace ID, parent ID, flags, and what later versions may append. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED = 1;

/**
 * The `traceparent` to send on, from the header of a submission; null for one that is missing or invalid (Trace Context,
 * sections 3.2 and 4.3). A later version is sent on as version 00, of which only the sampled flag is known.
 */
export function traceparentOf(header: string | undefined): string | null {
  const [, version = '', traceId = '', parentId = '', flags = '', rest] = TRACEPARENT.exec(header?.trim() ?? '') ?? [];
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return null;
  const known = version === '00' ? flags : `0${Number.parseInt(flags, 16) & SAMPLED}`;
  return `00-${traceId}-${parentId}-${known}`;
}
