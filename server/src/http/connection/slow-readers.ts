// Closes the connections of clients that read their answers too slowly: they would keep places, memory and connections for hours (MB6).

/** How fast an answer has to be read. */
export interface ReadRate {
  bytesPerSecond: number;
  /** How long a client may read nothing, in ms, when it has read fast enough before. */
  graceMs: number;
}

/** A mobile connection of the 1990s is faster. 240 KiB may be late by the grace alone: any page of the dashboard, most lists. */
export const MIN_READ_RATE: ReadRate = { bytesPerSecond: 8 * 1024, graceMs: 30_000 };

/** What is asked of a connection (`net.Socket`). */
export interface Reader {
  /** Bytes that were given to it, those that still wait in it included. */
  readonly bytesWritten: number;
  /** Bytes that wait in it, as the system takes no more. */
  readonly writableLength: number;
  destroy(): unknown;
}

export interface SlowReaders {
  /** Watches a connection until the function that comes back is called, once for each answer that is under way on it. */
  watch(reader: Reader): () => void;
  /** Closes who is too slow. To be called every second or so. */
  check(): void;
}

interface Watched {
  answers: number;
  written: number;
  /** When what waits must have been read, in ms. */
  dueAt: number;
}

/**
 * Every byte that is given to a connection allows it the time that the byte takes at the least rate. What waits in one large
 * piece shows no progress before all of it was read: it has its whole time.
 */
export function createSlowReaders({ bytesPerSecond, graceMs }: ReadRate, now = () => performance.now()): SlowReaders {
  const readers = new Map<Reader, Watched>();
  const msFor = (bytes: number) => (bytes * 1000) / bytesPerSecond;

  function isLate(reader: Reader, watched: Watched): boolean {
    const { bytesWritten: written, writableLength: waiting } = reader;
    const latest = now() + graceMs + msFor(waiting);
    const dueAt = watched.dueAt + msFor(written - watched.written);
    watched.written = written;
    // Nothing waits: the client is not to blame for the time that passes.
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
