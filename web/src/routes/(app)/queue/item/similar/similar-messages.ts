// Texts of the items that are nearly the same as the open one.

export const similarMessages = {
  button: (count: number, more: boolean) => `${count}${more ? '+' : ''} more like this`,
  lead: 'Waiting items with nearly the same input. Compare the suggestions before you decide.',
  same: 'Same suggestion',
  other: 'Other suggestion',
  select: (count: number) => (count === 1 ? 'Select it in the list' : `Select these ${count} in the list`),
  selected: (selected: number, all: number) =>
    selected === all
      ? `${selected} selected. Choose an action under the list.`
      : `${selected} of ${all} selected; the others are not in this list, or in use.`,
} as const;
