// Closes connections of clients that read their responses too slowly and would hold slots, memory and connections for
// hours (MB6).

/** The minimum rate at which a response must be read. */
export interface ReadRate {
  bytesPerSecond: number;
  /** How long a client may read nothing, in ms, if it was fast enough before. */
  graceMs: number;
}

/**
 * A mobile connection of the 1990s is faster. The grace period alone covers 240 KiB: any page of the dashboard and most
 * lists.
 */
export const MIN_READ_RATE: ReadRate = { bytesPerSecond: 8 * 1024, graceMs: 30_000 };

/** The parts of a connection (`net.Socket`) that are needed. */
export interface Reader {
  /** Bytes written to it, including those still buffered in it. */
  readonly bytesWritten: number;
  /** Bytes buffered in it because the system accepts no more. */
  readonly writableLength: number;
  destroy(): unknown;
}

export interface SlowReaders {
  /** Watches a connection until the returned function is called; once per response in progress. */
  watch(reader: Reader): () => void;
  /** Closes connections that are too slow. Call it about every second. */
  check(): void;
}

interface Watched {
  answers: number;
  written: number;
  /** When the buffered data must have been read, in ms. */
  dueAt: number;
}

/**
 * Every byte written to a connection grants the time that it takes at the minimum rate. A large chunk shows no progress
 * before it is read completely, so it gets its whole time.
 */
export function createSlowReaders({ bytesPerSecond, graceMs }: ReadRate, now = () => performance.now()): SlowReaders {
  const readers = new Map<Reader, Watched>();
  const msFor = (bytes: number) => (bytes * 1000) / bytesPerSecond;

  function isLate(reader: Reader, watched: Watched): boolean {
    const { bytesWritten: written, writableLength: waiting } = reader;
    const latest = now() + graceMs + msFor(waiting);
    const dueAt = watched.dueAt + msFor(written - watched.written);
    watched.written = written;
    // Nothing is buffered: the client is not responsible for the time that passes.
    watched.dueAt = waiting === 0 ? latest : Math.min(dueAt, latest);
    return watched.dueAt < now();
  }

  return {
    watch: (reader) => {
      const watched = readers.get(reader) ?? { answers: 0, written: reader.bytesWritten, dueAt: now() + graceMs };
      readers.set(reader, watched);
      watched.answers += 1;
      return () => {
        watched.answers -= 1;
        if (watched.answers === 0) readers.delete(reader);
      };
    },
    check: () => {
      for (const [reader, watched] of readers) if (isLate(reader, watched)) reader.destroy();
    },
  };
}
