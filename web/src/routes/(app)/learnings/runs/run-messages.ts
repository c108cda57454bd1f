// Texts of regression runs.
import type { Outcome } from '@countersign/shared/enums';
import type { OverrideAction } from '@countersign/shared/review-actions';
import { count } from '#lib/format/format.ts';

export const runMessages = {
  happens:
    'Re-run past corrections against a new version of your pipeline. Nothing is queued, decided or delivered; results are compared with what reviewers decided.',
  begin: 'Start run',
  excluded: 'Excluded learnings are not part of runs. Show included learnings to start one.',
  scope: {
    actions: { edit: 'edits only', reject: 'rejections only', respond: 'responses only' } satisfies Record<
      OverrideAction,
      string
    >,
    names: { flag: 'flag', model: 'model', source: 'source', text: 'search' },
    since: (at: string) => `since ${at}`,
    newest: (n: number) => `newest ${count(n)}`,
  },
  stands: ({ cases, answered, still_fails, differs, fixed }: Record<'cases' | 'answered' | Outcome, number>) =>
    `${count(answered)} of ${count(cases)} results: ${count(still_fails)} still failing, ${count(differs)} different, ${count(fixed)} fixed.`,
  title: 'Label, such as a model version',
  beginFailed: "Couldn't start the run",
  failed: "Couldn't load the runs",
  caseFailed: "Couldn't load the cases",
  none: 'No runs yet',
  noneText: 'Start one, then submit the results of your pipeline with the command shown here.',
  earlier: 'Runs, newest first',
  more: 'Show older runs',
  back: 'All runs',
  unnamed: 'Untitled run',
  by: (name: string) => `started by ${name}`,
  answeredBy: (name: string) => `last results from ${name}`,
  waiting: 'Waiting for results.',
  outcomes: { still_fails: 'still failing', differs: 'different', fixed: 'fixed', unanswered: 'no result' },
  states: { '': 'All', still_fails: 'Still failing', differs: 'Different', fixed: 'Fixed', unanswered: 'No result' },
  state: 'Cases',
  of: (n: number, all: number) => `${count(n)} of ${count(all)}`,
  unnoticed: (n: number) => `${count(n)} failing ${n === 1 ? 'suggestion' : 'suggestions'} would be auto-approved.`,
  commands: 'commands to submit results',
  how: 'How to submit results',
  noCase: 'No matching cases.',
  routed: 'would be',
  corrected: 'Matches the correction:',
  asBefore: 'Same as before:',
  breaksSchema: 'The new suggestion does not satisfy its schema:',
  besideCorrection: 'Compared with the correction:',
  besideOld: 'Compared with the rejected suggestion:',
  noAnswer: 'No result yet. Original suggestion:',
  suggestion: 'Suggestion',
  moreCases: 'Load more',
};
