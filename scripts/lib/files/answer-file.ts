// Sends a file of answers to a regression run, a batch of lines at a time, and counts the results.
import type { Client } from '../../../shared/src/client.ts';
import { RawJson } from '../../../shared/src/json/json.ts';
import type { Line } from './read-lines.ts';
import { readObject } from '../submit/line.ts';

/** Answers that one request holds at most: with the largest ones it stays below 5 MiB. */
const BATCH_SIZE = 18;

/** By outcome, and why lines were refused: `line` counts from 1. */
export interface Answered {
  still_fails: number;
  differs: number;
  fixed: number;
  refused: { line: number; why: string }[];
}

/** Each line goes out as it stands; one that is not a JSON object stays here, and takes no other with it. Errors: those of the client. */
export async function answerFile(
  client: Pick<Client, 'answerCases'>,
  run: string,
  lines: AsyncIterable<Line>,
): Promise<Answered> {
  const answered: Answered = { still_fails: 0, differs: 0, fixed: 0, refused: [] };
  let waiting: { line: number; text: string }[] = [];
  const send = async () => {
    if (waiting.length === 0) return;
    const sent = waiting;
    waiting = [];
    const answers = sent.map(({ text }) => new RawJson(text));
    for (const result of (await client.answerCases(run, answers)).results) {
      if ('outcome' in result) answered[result.outcome] += 1;
      else answered.refused.push({ line: sent[result.index]?.line ?? 0, why: result.error.detail });
    }
  };
  for await (const line of lines) {
    const read = readObject(line);
    if (read.kind === 'refused') answered.refused.push({ line: line.number, why: read.detail });
    if (read.kind !== 'object') continue;
    waiting.push({ line: line.number, text: read.text });
    if (waiting.length === BATCH_SIZE) await send();
  }
  await send();
  answered.refused.sort((a, b) => a.line - b.line);
  return answered;
}
