// Texts on the dates that are typed.

export const dateMessages = {
  incomplete: 'Enter date and time, or clear the field.',
} as const;
