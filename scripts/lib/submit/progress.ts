// Shows how far a submission is: a bar on a terminal, a plain line every few seconds anywhere else.
import cliProgress from 'cli-progress';
import type { Progress } from './file.ts';
import { duration } from './report.ts';

export interface ProgressView {
  update(progress: Progress): void;
  /** Leaves the last state on the screen and gives the cursor back. */
  stop(): void;
}

const FIGURES = '{percentage}%  {lines} lines  {rate}/s  ETA {eta_formatted}{refused}{note}';
const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;

/** Starts showing progress on `stream`; `bytes` is the size of the file. */
export function showProgress(bytes: number, stream: NodeJS.WriteStream): ProgressView {
  const bar = new cliProgress.SingleBar(
    {
      stream,
      format: stream.isTTY ? `{bar}  ${FIGURES}` : FIGURES,
      barsize: 28,
      hideCursor: true,
      etaBuffer: 100,
      formatTime: eta,
      noTTYOutput: true,
      notTTYSchedule: PLAIN_LINE_MS,
    },
    cliProgress.Presets.shades_classic,
  );
  const started = performance.now();
  let shownAt = 0;
  let latest: Progress | undefined;
  const show = (): void => {
    shownAt = performance.now();
    if (latest !== undefined) bar.update(Math.min(latest.bytes, bytes), figures(latest, (shownAt - started) / 1000));
  };
  bar.start(bytes, 0, { lines: 0, rate: 0, refused: '', note: '' });
  // A run that waits for the server makes no progress, yet has something to say.
  const timer = setInterval(show, 1000);
  return {
    update(progress) {
      latest = progress;
      if (performance.now() - shownAt >= REDRAW_MS) show();
    },
    stop() {
      clearInterval(timer);
      show();
      bar.stop();
    },
  };
}

/** Whole seconds, as the bar counts them; it says so in words while it cannot tell. */
function eta(seconds: number): string {
  if (!Number.isFinite(seconds)) return '-';
  return seconds < 10 ? `${seconds} s` : duration(seconds);
}

function figures({ summary, note }: Progress, seconds: number): Record<string, string | number> {
  return {
    lines: summary.lines,
    rate: seconds > 0 ? Math.round(summary.lines / seconds) : 0,
    refused: summary.refused > 0 ? `  ${summary.refused} refused` : '',
    note: note === '' ? '' : `  (${note})`,
  };
}
