// Shows the progress of a long command: a bar on a terminal, nothing in a file.
import cliProgress from 'cli-progress';

export interface Progress {
  to(done: number): void;
  end(): void;
}

/** `unit`: what is counted, such as `events`; `total` null: the total is not known. */
export function progressOf(what: string, unit: string, total: number | null): Progress {
  const format = total === null ? `${what} {value} ${unit}` : `${what} {bar} {value} of {total} ${unit}`;
  const bar = new cliProgress.SingleBar({ format, noTTYOutput: false }, cliProgress.Presets.shades_classic);
  bar.start(total ?? 0, 0);
  return { to: (done) => bar.update(done), end: () => bar.stop() };
}
