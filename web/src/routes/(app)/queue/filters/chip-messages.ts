// Texts of the active filters, and of saving them.
export const chipMessages = {
  active: 'Active filters',
  remove: (words: string) => `Remove filter: ${words}`,
  clear: 'Clear filters',
  clearShort: 'Clear',
  save: 'Save filter',
  saveHint: 'Saved in this browser under Views.',

  chip: {
    flag: (value: string) => `flag ${value}`,
    model: (value: string) => `model ${value}`,
    source: (value: string) => `source ${value}`,
    min_confidence: (value: number) => `confidence ≥ ${value}`,
    max_confidence: (value: number) => `confidence ≤ ${value}`,
    text: (value: string) => `“${value}”`,
  },
} as const;
