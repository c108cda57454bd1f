// Messages of date fields.

export const dateMessages = {
  incomplete: 'Enter both a date and a time, or clear the field.',
} as const;
