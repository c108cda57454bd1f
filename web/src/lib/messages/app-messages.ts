// Texts of the shell, of invites and of the projects page, grouped by place.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';

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
    ended: 'You have been signed out',
    endedText: 'Sign in again to continue. Everything you typed is still here.',
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

  walletSwitched: {
    still: (address: string) => `Still signed in as ${address}.`,
    now: (address: string) => `Your wallet switched to ${address}.`,
    change: 'Switch',
    stay: 'Stay signed in',
  },

  invite: {
    page: 'Invite',
    heading: (by: string | null, project: string) =>
      by === null ? `You are invited to ${project}` : `${by} invites you to ${project}`,
    lead: (role: string, name: string) => `You will join as ${role}, signed in as ${name}. This link works once.`,
    roles: { reviewer: 'a reviewer', supervisor: 'a supervisor', owner: 'an owner' },
    member: (project: string) => `You are already a member of ${project}`,
    memberText: (role: string) => `You are ${role} there. This invite would change nothing.`,
    raise: (from: string, to: string) => `You are ${from} there. This invite makes you ${to}. It works once.`,
    accept: 'Accept',
    unread: 'The invite could not be loaded',
    join: 'Join project',
    joined: (project: string) => `You joined ${project}`,
    joinedText: {
      reviewer: 'You are a reviewer: you can claim and decide queued items.',
      supervisor: 'You are a supervisor: you can decide queued and escalated items.',
      owner: 'You are an owner: you can review, and change rules, keys and people.',
    },
    toProject: 'Open project',
    toQueue: 'Open queue',
    useless: 'This invite is no longer valid',
    failed: 'You could not join the project',
  },

  noPool: {
    heading: 'You are not in a project yet',
    text: 'Send this address to a project owner. Once they offer you a membership under People, the offer shows up here.',
    address: 'Your wallet address',
    copy: 'Copy address',
    own: 'Or create your own:',
  },

  projects: {
    page: 'Projects',
    create: 'New project',
    failed: 'Your projects could not be loaded',
    stale: 'This list could not be refreshed',
  },

  project: {
    failed: 'The project could not be loaded',
    stale: 'The project could not be refreshed',
    missing: 'Project not found',
    missingText: 'It does not exist, or you do not have access. Ask an owner to offer you a membership.',
  },

  createProject: {
    title: 'New project',
    lead: 'Just a name to start. You can change everything else later.',
    name: 'Name',
    nameHint: 'For example “Support replies”.',
    submit: 'Create project',
    failed: 'The project was not created',
    keyName: AUTOMATIC_KEY_NAMES[0],
  },
} as const;
