// Texts of the filter fields and of saved filters.
import { count } from '#lib/format/format.ts';

export const fieldMessages = {
  any: 'Any',
  fields: { flag: 'Risk flag', model: 'Model', source: 'Source' },
  confidence: 'Confidence',
  from: 'Confidence min',
  to: 'max',
  badConfidence: 'Enter a number from 0 to 1.',
  hiddenHere: "Confidence is hidden here until a decision is final, so you can't filter by it.",
  hiddenElsewhere: (names: readonly string[]) =>
    names.length > 2
      ? `Filtering by confidence excludes ${names.length} projects that hide it.`
      : `Filtering by confidence excludes ${names.join(' and ')}, where it's hidden.`,
  crossed: 'Minimum is higher than maximum.',
  option: (value: string, number: number) => `${value} (${count(number)})`,

  saved: {
    heading: 'Saved',
    name: 'Name',
    taken: 'A saved filter already has this name. Choose another.',
    full: (most: number) => `You've reached ${most} saved filters. Delete one first.`,
    noName: 'Enter a name.',
    submit: 'Save',
    cancel: 'Cancel',
    edit: (name: string) => `Rename or delete ${name}`,
    title: 'Saved filter',
    remove: 'Delete',
    notPersisted: "This browser won't store it. You'll lose it when you close the tab.",
  },
} as const;
