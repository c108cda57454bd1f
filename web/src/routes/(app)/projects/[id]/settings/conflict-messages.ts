// Texts of conflicts: two owners changed the same settings.

export const conflictMessages = {
  title: (count: number) =>
    count === 1
      ? 'You both changed one setting. Choose which to keep.'
      : `You both changed ${count} settings. Choose which to keep for each.`,
  safe: (version: number) => `v${version} is saved. Your changes are not lost, but not saved yet.`,
  rest: (fields: string) => `Merged automatically: ${fields}.`,
  left: (count: number) => (count === 0 ? 'All resolved' : count === 1 ? '1 conflict left' : `${count} conflicts left`),
  was: 'Was',
  theirs: 'They saved',
  mine: 'Yours',
  whatOf: (field: string) => `Value for ${field}`,
  pick: { theirs: 'Take theirs', mine: 'Keep mine', both: 'Take both' },
  result: 'Value to save',
  bothText: 'Both, combined',
  bothHint: 'Edit it if you like. This is what gets saved.',
  settle: (place: number, places: number) => `Conflict ${place} of ${places}`,
  settlePick: { theirs: 'Theirs', mine: 'Mine', both: 'Both lines' },
  hide: 'Hide',
  show: 'Show',
} as const;
