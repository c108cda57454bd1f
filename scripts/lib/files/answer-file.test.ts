// Tests sending answers from a file: in batches, unchanged, each refusal with its line.
import { expect, it } from 'vitest';
import { jsonText, type RawJson } from '../../../shared/src/json/json.ts';
import { answerFile } from './answer-file.ts';
import { readLines } from './read-lines.ts';
import { LINE_BYTES } from '../submit/line.ts';

it('sends every line once and says what came of it', async () => {
  const sizes: number[] = [];
  const outcomes = ['still_fails', 'differs', 'fixed'] as const;
  let refusals = 0;
  const answerCases = (run: string, answers: readonly object[]) => {
    expect(run).toBe('run');
    sizes.push(answers.length);
    const results = (answers as RawJson[]).map((answer, index) => {
      const { n } = JSON.parse(jsonText(answer)) as { n: number };
      if (n !== 20) return { index, case_id: '', outcome: outcomes[n % 3] ?? 'differs', status: 'queued' as const };
      refusals += 1;
      const error = {
        type: '',
        title: '',
        status: 404,
        detail: 'No such case.',
        instance: '',
        code: 'x',
        request_id: '',
      };
      return { index, error };
    });
    return Promise.resolve({ results });
  };
  const odd: Record<number, string | Buffer> = {
    3: '',
    5: 'no JSON',
    6: '{"n":1},{"n":2}',
    7: '[{"n":1}]',
    8: Buffer.from([0xff]),
  };
  async function* chunks() {
    for (let n = 0; n < 40; n += 1) {
      yield Buffer.from(odd[n] ?? `{"n":${n}}`);
      yield await Promise.resolve(Buffer.from('\n'));
    }
    yield Buffer.from(`{"n":0,"x":"${'x'.repeat(LINE_BYTES)}"}`);
  }
  const answered = await answerFile({ answerCases }, 'run', readLines(chunks(), LINE_BYTES));
  const lines = answered.refused.map(({ line }) => line);
  expect([answered.still_fails, answered.differs, answered.fixed, lines]).toEqual([12, 12, 10, [6, 7, 8, 9, 21, 41]]);
  expect(answered.refused.map(({ why }) => why)[4]).toBe('No such case.');
  expect([sizes, refusals]).toEqual([[18, 17], 1]);
});
