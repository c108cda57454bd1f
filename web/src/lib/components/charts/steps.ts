// Draws counts per time bucket as steps: the path of one line, and where one line leads the other.
import type { Scale } from './scale.ts';

/** One time bucket, in ms, with two counts; `partial` when it reaches beyond the window or is not over. */
export interface Step {
  start: number;
  end: number;
  lead: number;
  main: number;
  partial: boolean;
}

/** One time bucket, in ms, and durations in it, in seconds; null where there was none. */
export interface TimeBucket {
  start: number;
  end: number;
  n: number;
  times: { p50: number; p90: number; p99: number } | null;
}

/** The SVG path of a step line through one count of each bucket. */
export function stepPath(steps: readonly Step[], of: 'lead' | 'main', { x, y }: { x: Scale; y: Scale }): string {
  return steps
    .map((step, index) => {
      const height = px(y(step[of]));
      return `${index === 0 ? `M${px(x(step.start))} ${height}` : `V${height}`}H${px(x(step.end))}`;
    })
    .join('');
}

/** The buckets in which `lead` is above `main`, as boxes between the two lines. */
export function gaps(steps: readonly Step[], { x, y }: { x: Scale; y: Scale }) {
  return steps
    .filter(({ lead, main }) => lead > main)
    .map(({ start, end, lead, main }) => ({
      x: x(start),
      y: y(lead),
      width: x(end) - x(start),
      height: y(main) - y(lead),
    }));
}

/** The bucket under a horizontal position; the nearest one beyond the ends, -1 without any. */
export function stepAt(steps: readonly Pick<Step, 'end'>[], at: number): number {
  const found = steps.findIndex(({ end }) => at < end);
  return found === -1 ? steps.length - 1 : found;
}

/** Two label heights moved apart to a distance of `apart` px, preserving their order and middle. */
export function spread([one, other]: readonly [number, number], apart: number): [number, number] {
  const missing = apart - Math.abs(one - other);
  if (missing <= 0) return [one, other];
  const shift = (one <= other ? -missing : missing) / 2;
  return [one + shift, other - shift];
}

const px = (value: number): number => Math.round(value * 10) / 10;
