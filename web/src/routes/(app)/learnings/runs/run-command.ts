// The commands that answer a regression run, ready to be copied.
import type { CodeSample } from '#lib/samples/submit-samples.ts';

/** With the command of this repository, and by hand; users insert their own key. */
export function runCommands({ baseUrl, run }: { baseUrl: string; run: string }): CodeSample[] {
  const url = `${baseUrl}/api/public/regressions/${run}`;
  const answer = JSON.stringify({ items: [{ case_id: '…', suggestion: '…', confidence: 0.9 }] });
  return [
    {
      language: 'npm',
      code: [
        'export COUNTERSIGN_API_KEY=…',
        `npm run regress -- --url ${baseUrl} --run ${run} --read cases.jsonl`,
        '# For each line {"id","input","metadata"}, your pipeline writes a line {"case_id","suggestion","confidence"}',
        `npm run regress -- --url ${baseUrl} --run ${run} answers.jsonl`,
      ].join('\n'),
    },
    {
      language: 'curl',
      code: [
        `curl '${url}/cases?limit=100' -H "x-api-key: $COUNTERSIGN_API_KEY"`,
        `curl '${url}/answers' \\`,
        `  -H 'content-type: application/json' -H "x-api-key: $COUNTERSIGN_API_KEY" \\`,
        `  -d '${answer}'`,
      ].join('\n'),
    },
  ];
}
