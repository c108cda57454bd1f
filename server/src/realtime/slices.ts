// Divides what a loop sends to many sockets into slices, so that no turn of the event loop sends everything (MB9).

/** The packets of a slice: they take about 10 ms of a busy process. */
const SLICE_PACKETS = 500;
/** The minimum time between two slices, in milliseconds: other work gets at least half of it. */
export const SLICE_GAP_MS = 20;

/** Projects whose sockets are due to receive something, first come, first served. */
export class Slices {
  readonly #packets: number;
  readonly #waiting = new Set<string>();

  constructor(packets = SLICE_PACKETS) {
    this.#packets = packets;
  }

  /**
   * Takes the projects of the next slice, at least one. What is due is asked for only when all earlier projects were taken: each
   * project is sent to once in a round, and what changes meanwhile waits for the next one.
   */
  next(due: () => Iterable<string>, packetsOf: (projectId: string) => number): string[] {
    if (this.#waiting.size === 0) for (const projectId of due()) this.#waiting.add(projectId);
    const slice: string[] = [];
    for (let packets = 0; packets < this.#packets;) {
      const [projectId] = this.#waiting;
      if (projectId === undefined) break;
      packets += 1 + packetsOf(projectId);
      if (slice.length > 0 && packets > this.#packets) break;
      this.#waiting.delete(projectId);
      slice.push(projectId);
    }
    return slice;
  }

  /** These were not sent to: they wait again. */
  putBack(projectIds: Iterable<string>): void {
    for (const projectId of projectIds) this.#waiting.add(projectId);
  }

  /** Whether the round has another slice. */
  get again(): boolean {
    return this.#waiting.size > 0;
  }
}
