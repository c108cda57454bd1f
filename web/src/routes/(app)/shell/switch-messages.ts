// Texts of a wallet that switched to another account.

export const switchMessages = {
  still: (address: string) => `Still signed in as ${address}.`,
  now: (address: string) => `Your wallet switched to ${address}.`,
  change: 'Switch',
  stay: 'Stay signed in',
} as const;
