// Texts of an invite.

export const inviteMessages = {
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
} as const;
