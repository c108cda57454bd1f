// Texts of the list of projects.
import type { WebhookHealth } from '@countersign/shared/figures';

const people = (names: readonly string[], more: number): string => {
  const last = names.length - 1;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return last < 1 ? names.join('') : `${names.slice(0, last).join(', ')} and ${names[last] ?? ''}`;
};

export const messages = {
  create: 'New project',
  failed: 'Your projects could not be loaded',
  stale: 'This list could not be refreshed',
  columns: {
    name: 'Name',
    waiting: 'Waiting',
    oldest: 'Oldest',
    reviewing: 'Reviewing now',
    decided: 'Decided today',
    overridden: 'Changed or rejected today',
    expired: 'Ended by deadline today',
    webhook: 'Webhook',
  },
  caption: 'Projects, sortable by column',
  filter: 'Filter projects by name',
  filterPlaceholder: 'Filter by name',
  noMatch: (name: string) => `No project is called “${name}”`,
  noMatchText: (hidden: string) => `${hidden} hidden by the filter.`,
  projects: (count: number) => (count === 1 ? '1 project' : `${count} projects`),
  clear: 'Show all',
  asOf: (time: string, ago: string) => `Last updated ${time} (${ago}).`,
  expired: (count: string, project: string) => `${count} ended by deadline today in ${project}`,
  nobody: 'nobody',
  people,
  onIt: (count: number) => `${count} reviewing`,
  escalated: (count: string) => `${count} escalated ·`,
  of: (count: string) => `of ${count}`,
  age: { due: 'due soon', past: 'past due' },
  health: {
    not_set: 'not set up',
    waiting: 'no deliveries yet',
    healthy: 'healthy',
    retrying: 'retrying',
    failing: 'failing',
    paused: 'paused',
  } satisfies Record<WebhookHealth, string>,
  /** WH10: how many deliveries wait for another attempt. */
  retrying: (n: string) => `${n} retrying`,
} as const;
