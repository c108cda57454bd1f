// The difference from the present settings in one sentence, with its sample.
import { count, duration } from '#lib/format/format.ts';
import type { ThresholdSample } from '@countersign/shared/api/thresholds';
import type { Prediction } from '@countersign/shared/statistics/what-if';
import { messages } from './messages.ts';

const { whatIf } = messages;

export function whatIfAnswer(
  { arrivals, decisions, median }: Pick<ThresholdSample, 'arrivals' | 'decisions' | 'median'>,
  now: Prediction | null,
  tried: Prediction | null,
) {
  const length = (seconds: number) => (seconds < 1 ? whatIf.underSecond : duration(seconds * 1000));
  const each = median.seconds === null ? '' : whatIf.median(length(median.seconds), count(median.n));
  const unit = whatIf.unit(count(arrivals.n), count(decisions.n), each);
  if (now === null || tried === null) return { answer: whatIf.empty, unit };
  const fewer = now.people.value - tried.people.value;
  const people = fewer > 0 ? whatIf.fewer(count(fewer)) : fewer < 0 ? whatIf.more(count(-fewer)) : whatIf.same;
  return { answer: `${people}; ${wrong(now, tried)}`, unit };
}

function wrong(now: Prediction, tried: Prediction): string {
  const expected = (of: Prediction) => of.wrong && count(Math.round(of.wrong.value));
  const [before, then] = [expected(now), expected(tried)];
  return before === null || then === null ? whatIf.wrongUnknown : whatIf.wrongThen(then, before);
}
