// Texts of the sessions page.

export const messages = {
  page: 'Sessions',
  lead: 'Where you are signed in. Sessions expire after 1 h of inactivity or 12 h in total.',
  failed: 'Your sessions could not be loaded',
  stale: 'This list could not be refreshed',
  columns: { browser: 'Browser', since: 'Signed in', seen: 'Last used', ends: 'Expires' },
  unknown: 'Unknown browser',
  current: 'this browser',
  now: 'now',
  end: 'Sign out',
  endLabel: (device: string, since: string) => `Sign out ${device}, signed in ${since}`,
  ended: (device: string) => `Signed out ${device}`,
  othersEnded: 'Signed out all other sessions',
  endFailed: 'The session could not be ended',
  endOthers: 'Sign out everywhere else',
  endOthersTitle: 'Sign out everywhere else?',
  endOthersText: 'All other sessions end immediately. This browser stays signed in.',
  endOthersFailed: 'The other sessions could not be ended',
} as const;
