// Tests with a clock of its own that steady readers stay connected and readers of a byte a minute do not.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from './server.ts';
import { createSlowReaders, type Reader } from './connections.ts';

const RATE = { bytesPerSecond: 1000, graceMs: 10_000 };

/** A connection whose far end reads as the test says. Chunks are read as a whole, as `net.Socket` counts them. */
class Connection implements Reader {
  bytesWritten = 0;
  destroyed = false;
  taken = 0;
  readonly #pieces: number[] = [];
  /** Bytes read of the first chunk. */
  #read = 0;

  get writableLength(): number {
    return this.#pieces.reduce((sum, piece) => sum + piece, 0);
  }

  write(bytes: number): void {
    this.bytesWritten += bytes;
    this.#pieces.push(bytes);
  }

  take(bytes: number): void {
    const read = Math.min(bytes, this.writableLength - this.#read);
    this.taken += read;
    this.#read += read;
    while (this.#pieces.length > 0 && this.#read >= (this.#pieces[0] ?? 0)) this.#read -= this.#pieces.shift() ?? 0;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

function begin() {
  let now = 0;
  const readers = createSlowReaders(RATE, () => now);
  const connection = new Connection();
  const done = readers.watch(connection);
  /**
   * Lets this many seconds pass: per second the far end reads `taking` bytes, and the server writes the next chunk when
   * nothing is buffered.
   */
  const pass = (seconds: number, { taking = 0, giving = 0 }: { taking?: number; giving?: number } = {}) => {
    for (let n = 0; n < seconds && !connection.destroyed; n += 1) {
      const until = connection.taken + taking;
      do {
        if (connection.writableLength === 0 && giving > 0) connection.write(giving);
        connection.take(until - connection.taken);
      } while (connection.taken < until && giving > 0);
      if (connection.writableLength === 0 && giving > 0) connection.write(giving);
      now += 1000;
      readers.check();
    }
    return now / 1000;
  };
  return { connection, done, pass, readers };
}

describe('MB6: a client that reads', () => {
  it('at the minimum rate or faster is never disconnected, regardless of the chunk size', () => {
    const piece = fc.integer({ min: 500, max: 2_000_000 });
    fc.assert(
      fc.property(piece, fc.integer({ min: 1000, max: 5000 }), fc.nat(9), (giving, taking, pause) => {
        const { connection, pass } = begin();
        pass(600, { taking, giving });
        pass(pause, { giving });
        pass(600, { taking, giving });
        expect(connection.destroyed).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('below the minimum rate is disconnected once its grace period is used up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64_000 }), fc.nat(700), (giving, taking) => {
        const { connection, pass } = begin();
        pass(3600, { taking, giving: Math.max(giving, taking + 1) });
        expect(connection.destroyed).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('nothing is disconnected after the grace period and the time for the buffered data, and not before', () => {
    const { connection, pass } = begin();
    connection.write(5000);
    pass(14);
    expect(connection.destroyed).toBe(false);
    pass(2);
    expect(connection.destroyed).toBe(true);
  });

  it('fast for an hour may not pause longer for that', () => {
    const { pass } = begin();
    const started = pass(3600, { taking: 100_000, giving: 5000 });
    const waited = pass(1000, { giving: 5000 }) - started;
    expect(waited).toBeLessThanOrEqual(17);
  });

  it('everything at once may wait as long as it takes for the next data', () => {
    const { connection, done, pass, readers } = begin();
    pass(3600);
    expect(connection.destroyed).toBe(false);
    const second = readers.watch(connection);
    done();
    connection.write(1);
    pass(5);
    second();
    // Its last response was read: what happens on the connection afterwards is not watched.
    pass(3600);
    expect(connection.destroyed).toBe(false);
  });
});

it('MB6: disconnects a client that reads a byte now and then, though it is never silent for long', async () => {
  const patience = { headersMs: 30_000, requestMs: 30_000, checkEveryMs: 20, silenceMs: 60_000 };
  const read = { bytesPerSecond: 100 * 1024 * 1024, graceMs: 1000 };
  const { promise: cut, resolve } = Promise.withResolvers<boolean>();
  const server = createHttpServer(
    (_, response) => {
      const pour = (): void => void response.write(Buffer.alloc(64 * 1024), () => pour());
      pour();
      response.once('close', () => resolve(!response.writableFinished));
    },
    { ...patience, read },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const sipping = setInterval(() => void socket.read(1), 10);
  onTestFinished(() => {
    clearInterval(sipping);
    socket.destroy();
    server.close();
  });
  socket.pause().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(await cut).toBe(true);
});
