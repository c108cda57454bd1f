// Counts WebSocket frames in the bytes of a connection, before anything parses them (RFC 6455, section 5.2). Pure.

/** The first two bytes of a frame say how long the rest of its header is. */
const START = 2;
const MASK = 4;
/** Bytes of the length that follow, by the short length that announces them. */
const LONGER: Readonly<Record<number, number>> = { 126: 2, 127: 8 };

/**
 * Answers a function that takes the next bytes and says how many frames begin in them: data, fragments of it and control frames
 * alike. What breaks the protocol is counted as if it did not; refusing it is the parser's part.
 */
export function createFrameCounter(): (chunk: Uint8Array) => number {
  /** The header that is being read, and the payload that is being passed over. */
  let header: number[] = [];
  let payload = 0;

  return (chunk) => {
    let begun = 0;
    for (let at = 0; at < chunk.length;) {
      if (payload > 0) {
        const passed = Math.min(payload, chunk.length - at);
        payload -= passed;
        at += passed;
        continue;
      }
      if (header.length === 0) begun += 1;
      header.push(chunk[at] ?? 0);
      at += 1;
      if (header.length < START || header.length < sizeOfHeader(header)) continue;
      payload = sizeOfPayload(header);
      header = [];
    }
    return begun;
  };
}

const shortLength = (header: readonly number[]) => (header[1] ?? 0) & 0x7f;
const isMasked = (header: readonly number[]) => ((header[1] ?? 0) & 0x80) !== 0;

function sizeOfHeader(header: readonly number[]): number {
  return START + (LONGER[shortLength(header)] ?? 0) + (isMasked(header) ? MASK : 0);
}

function sizeOfPayload(header: readonly number[]): number {
  const longer = LONGER[shortLength(header)];
  if (longer === undefined) return shortLength(header);
  return header.slice(START, START + longer).reduce((length, byte) => length * 256 + byte, 0);
}
