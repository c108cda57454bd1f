// Texts of the form of one entry.
import { SETTINGS } from '@countersign/shared/settings';

const { maxPeople, minutes } = SETTINGS.skills;

export const skillFormMessages = {
  add: 'New entry',
  change: 'Change entry',
  by: 'Items with',
  kinds: { flag: 'a risk flag', metadata: 'a metadata value' },
  flag: 'Risk flag',
  pointer: 'Metadata field',
  pointerHint: 'A JSON pointer, such as /team or /customer/tier.',
  value: 'Value',
  people: 'Go first to',
  loading: 'Loading the members…',
  former: 'former member',
  minutes: 'For',
  unit: 'minutes, then to everyone',
  done: { add: 'Add entry', change: 'Apply' },
  cancel: 'Cancel',
  faults: {
    flag: 'Enter a flag.',
    pointer: 'Enter a JSON pointer, such as /team.',
    value: 'Enter a value.',
    twice: 'There is an entry for this already. Change that one.',
    people: 'Choose at least one person.',
    tooMany: `Choose at most ${maxPeople} people.`,
    minutes: `Enter a whole number from ${minutes.least} to ${minutes.most}.`,
  },
} as const;
