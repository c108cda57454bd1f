// Every string of the value renderers. English first.

export const valueText = {
  showAll: (characters: string) => `Show all ${characters} characters`,
  showRows: (rows: string) => `Show all ${rows} rows`,
  rule: (number: number) => `Rule ${number}`,
  showLess: 'Show less',
  leadsTo: (host: string) => `opens ${host} in a new tab`,
  copy: (what: string) => `Copy the ${what}`,
  raw: 'Show as JSON',
  read: 'Show as read',
  empty: 'empty text',
  more: (count: number) => `and ${count} more`,
} as const;
