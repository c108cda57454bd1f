// How far a long command is: a bar where somebody looks, nothing in a file.
import cliProgress from 'cli-progress';

export interface Progress {
  to(done: number): void;
  end(): void;
}

/** `unit`: what is counted, such as `facts`; `total` null: nobody knows how many there are. */
export function progressOf(what: string, unit: string, total: number | null): Progress {
  const format = total === null ? `${what} {value} ${unit}` : `${what} {bar} {value} of {total} ${unit}`;
  const bar = new cliProgress.SingleBar({ format, noTTYOutput: false }, cliProgress.Presets.shades_classic);
  bar.start(total ?? 0, 0);
  return { to: (done) => bar.update(done), end: () => bar.stop() };
}
