// The pasted commands work: the body is one submission, quoted for its shell.
import { submission } from '@countersign/shared/schemas/public';
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { submitSamples } from './code-samples.ts';

const GIVEN = {
  baseUrl: 'http://localhost:3000',
  projectId: '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1',
  apiKey: 'csk_4tVq8ZbN1mXr6KpWd3YhLs9JcFgT2uQe7a0RkBx1Yz23',
};
const codeIn = (samples: readonly { language: string; code: string }[], language: string) =>
  samples.find((sample) => sample.language === language)?.code ?? '';

describe('the ready command', () => {
  const curl = codeIn(submitSamples(GIVEN), 'curl');

  it('passes curl one submission that the contract accepts', () => {
    // The shell itself parses the command; `curl` is replaced by a function that prints its last argument.
    const printed = execFileSync('sh', ['-c', `curl() { for a in "$@"; do :; done; printf %s "$a"; }; ${curl}`]);
    expect(submission.parse(JSON.parse(printed.toString()))).toMatchObject({ project_id: GIVEN.projectId });
  });

  it('contains the key and the URL in every language', () => {
    for (const { code } of submitSamples(GIVEN)) {
      expect(code).toContain(GIVEN.apiKey);
      expect(code).toContain('http://localhost:3000/api/public/items');
    }
  });
});
