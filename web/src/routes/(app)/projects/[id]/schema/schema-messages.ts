// Texts of the answer schema of a project: its editor, the preview, and the check against recent items.
import { plural } from '#lib/format/format.ts';

interface Tally {
  judged: number;
  fit: number;
}

export const schemaMessages = {
  heading: 'Answer schema',
  lead: "A JSON Schema for suggestions and outputs; of a tool call it describes the arguments. A suggestion that doesn't satisfy it is never auto-approved, and reviewers edit answers in a form made from it.",
  scope: 'Changes apply to new items only. An item that brings its own schema is judged by that one.',
  editor: 'Answer schema as JSON',
  code: 'schema',
  loading: 'Loading the editor',
  remove: 'Remove schema',
  removed: 'The schema is removed from the editor. Save to turn it off.',
  putBack: 'Put it back',
  isBack: 'The schema is back in the editor.',
  empty: 'No schema',
  emptyText: 'Answers are free text or any JSON.',
  emptyHint: 'Write a schema in the editor, or start from an example.',
  example: 'Start from an example',

  faults: {
    heading: (n: number) => (n === 1 ? 'This schema has 1 fault' : `This schema has ${n} faults`),
    line: (line: number) => `Line ${line}`,
    show: (line: number) => `Go to line ${line}`,
  },

  preview: {
    heading: 'Preview',
    hint: 'Try the form that reviewers get. Nothing you enter here is saved.',
    older: 'The schema has faults. This is the form of the last valid one.',
    none: 'The form appears here once the schema is valid.',
    noForm: 'No form can show this schema: reviewers edit these answers as JSON.',
    check: 'Check answer',
    clear: 'Clear',
    fits: 'This answer satisfies the schema.',
    faults: (n: number) => `${plural(n, "place doesn't", "places don't")} satisfy the schema yet.`,
    json: 'Answer as JSON',
    answer: 'answer',
  },

  check: {
    heading: 'Check against recent items',
    hint: (most: number) =>
      `Judges the suggestions and final outputs of the last ${most} items by the schema in the editor. Nothing changes.`,
    run: (most: number) => `Check against the last ${most} items`,
    needsSchema: 'Enter a valid schema first.',
    progress: (done: number, most: number) => `${done} of ${most} items checked`,
    failed: 'The items could not be checked',
    none: 'This project has no items to check yet.',
    stale: 'The schema has changed since this check. Check again.',
    summary: ({ items, suggestion, output }: { items: number; suggestion: Tally; output: Tally }) => {
      const parts = [
        ...(suggestion.judged > 0
          ? [`${share(suggestion)} ${suggestion.judged === 1 ? 'suggestion' : 'suggestions'}`]
          : []),
        ...(output.judged > 0 ? [`${share(output)} final ${output.judged === 1 ? 'output' : 'outputs'}`] : []),
      ];
      const which = items === 1 ? 'the last item' : `the last ${items} items`;
      if (parts.length === 0) return `Nothing was suggested or decided in ${which}.`;
      return `Of ${which}, ${parts.join(' and ')} ${suggestion.judged + output.judged === 1 ? 'satisfies' : 'satisfy'} this schema.`;
    },
    failing: "Items that don't satisfy it",
    parts: { suggestion: 'Suggestion', output: 'Final output', both: 'Suggestion and final output' },
  },
} as const;

const share = ({ fit, judged }: Tally): string => `${fit} of ${judged}`;
