// Texts of the shell and of the pages of projects, grouped by place.

export const appMessages = {
  app: 'Countersign',
  title: (page: string) => `${page} · Countersign`,

  common: {
    cancel: 'Cancel',
    close: 'Close',
    loading: 'Loading',
    copyAddress: 'Copy wallet address',
    showOnce: 'Copy this now. You will not be able to see it again.',
  },

  shell: {
    skip: 'Skip to content',
    navigation: 'Main navigation',
    pages: { projects: 'Projects', queue: 'Queue', analytics: 'Analytics', learnings: 'Learnings' },
    waiting: (count: string) => `${count} for you to review`,
    account: 'Account',
    signedInAs: 'Signed in as',
    settings: 'Name, offers and notifications',
    sessions: 'Sessions',
    signOut: 'Sign out',
    signOutFailed: 'Sign-out failed. You are still signed in',
    asking: 'Checking your session…',
    sessionFailed: 'Your session could not be checked',
    notServed: 'Countersign does not answer. Try again in a moment.',
    ended: 'You have been signed out',
    endedText: 'Sign in again to continue. Everything you typed is still here.',
    endedReloadText: 'Reload the page to sign in again. Your drafts are kept.',
    replaced: 'This browser is signed in as someone else',
    replacedText:
      'Reload the page to continue with their account. Anything on this page that is not saved will be lost.',
    incomplete: 'Part of this page could not be loaded',
    incompleteText: 'Countersign may have been updated. Reload the page. Your drafts are kept.',
    theme: { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' },
    offline: 'You are offline. This may be out of date; it updates when you reconnect.',
    notFound: 'Page not found',
    notFoundText: 'It may have moved, or you do not have access to its project.',
    fault: 'This page could not be loaded',
    faultText: (status: number) =>
      `Something went wrong (${status}). Reload the page. If it keeps happening, tell your operator.`,
    reload: 'Reload',
    toProjects: 'Go to projects',
  },

  projects: {
    page: 'Projects',
  },
} as const;
