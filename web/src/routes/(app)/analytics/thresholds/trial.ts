// The curves of the what-if, its answer in a sentence, its table, and the changes of applying it.
import type { PlotTable } from '#lib/components/charts/table.ts';
import { confidence, count, length } from '#lib/format/format.ts';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import { predict, type Prediction, type Replay, type Trial } from '@countersign/shared/statistics/what-if';
import { messages } from './messages.ts';
import { routedShares } from './routed-shares.ts';

/** A threshold with its effect; `review` is lowered with it where it would be above. */
export interface Step {
  auto: number;
  prediction: Prediction;
}

const FINE = 200;
const COARSE = 20;

function steps(of: Replay, trial: Trial, parts: number): Step[] {
  return Array.from({ length: parts + 1 }, (_, at) => at / parts).flatMap((auto) => {
    const prediction = predict(of, { ...trial, auto, review: Math.min(trial.review, auto) });
    return prediction ? [{ auto, prediction }] : [];
  });
}

/** Both curves over the whole axis, in order. */
export const curveOf = (of: Replay, trial: Trial): Step[] => steps(of, trial, FINE);

/** Runs of steps with a figure, so that a curve ends where values are unknown and starts again after them. */
export function runs<T>(list: readonly T[], known: (one: T) => boolean): T[][] {
  const found: T[][] = [];
  list.forEach((one, at) => {
    if (!known(one)) return;
    const before = list[at - 1];
    if (at > 0 && before !== undefined && known(before)) found.at(-1)?.push(one);
    else found.push([one]);
  });
  return found;
}

export function whatIfTable(of: Replay, trial: Trial): PlotTable {
  const { auto, ...numbers } = messages.whatIf.columns;
  const whole = (value: number) => Math.round(value * 10) / 10;
  return {
    columns: [auto, ...Object.values(numbers)].map((name) => ({ name, numeric: true })),
    rows: steps(of, trial, COARSE).map(({ auto: at, prediction }) => {
      const { people, arrived, automatic, wrong, unreviewed } = prediction;
      return [
        { value: at, shown: confidence(at) },
        people.value,
        { value: Math.round((people.value / arrived) * 10_000) / 10_000, shown: routedShares(prediction).people },
        automatic.value,
        ...(wrong ? [wrong.value, wrong.low, wrong.high].map(whole) : [null, null, null]),
        unreviewed,
      ];
    }),
  };
}

type Applied = Pick<ThresholdSample['settings'], 'auto_threshold' | 'review_threshold' | 'escalate_flags'>;

/** The differences from the settings, as the body of a PATCH. Flags that escalate now retain their spelling and their order. */
export function changesOf(
  { settings, flags }: Pick<ThresholdSample, 'settings' | 'flags'>,
  { auto, review }: Pick<Trial, 'auto' | 'review'>,
  escalating: ReadonlySet<number>,
): Partial<Applied> {
  const left = flags.filter((flag, place) => flag.escalates && !escalating.has(place)).map(({ flag }) => flag);
  const came = flags.filter((flag, place) => !flag.escalates && escalating.has(place)).map(({ flag }) => flag);
  const kept = settings.escalate_flags.filter((flag) => !left.includes(flag));
  return {
    ...(auto === settings.auto_threshold ? {} : { auto_threshold: auto }),
    ...(review === settings.review_threshold ? {} : { review_threshold: review }),
    ...(left.length + came.length === 0 ? {} : { escalate_flags: [...kept, ...came] }),
  };
}

/** The difference from the present settings in one sentence, with its sample. */
export function whatIfAnswer(
  { arrivals, decisions, median }: Pick<ThresholdSample, 'arrivals' | 'decisions' | 'median'>,
  now: Prediction | null,
  tried: Prediction | null,
) {
  const each = median.seconds === null ? '' : messages.whatIf.median(length(median.seconds), count(median.n));
  const unit = messages.whatIf.unit(count(arrivals.n), count(decisions.n), each);
  if (now === null || tried === null) return { answer: messages.whatIf.empty, unit };
  const fewer = now.people.value - tried.people.value;
  const people =
    fewer > 0
      ? messages.whatIf.fewer(count(fewer))
      : fewer < 0
        ? messages.whatIf.more(count(-fewer))
        : messages.whatIf.same;
  return { answer: `${people}; ${wrong(now, tried)}`, unit };
}

function wrong(now: Prediction, tried: Prediction): string {
  const expected = (of: Prediction) => of.wrong && count(Math.round(of.wrong.value));
  const [before, then] = [expected(now), expected(tried)];
  return before === null || then === null ? messages.whatIf.wrongUnknown : messages.whatIf.wrongThen(then, before);
}
