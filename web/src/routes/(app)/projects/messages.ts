// Every string of the list of projects and of the first steps.
import type { Health } from './table.ts';

const people = (names: readonly string[], more: number): string => {
  const last = names.length - 1;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return last < 1 ? names.join('') : `${names.slice(0, last).join(', ')} and ${names[last] ?? ''}`;
};

export const messages = {
  columns: {
    name: 'Name',
    waiting: 'Waiting',
    oldest: 'Oldest',
    reviewing: 'On it now',
    decided: 'Decided today',
    overridden: 'Overridden today',
    webhook: 'Webhook',
  },
  caption: 'Projects. The heads of the columns sort.',
  filter: 'Filter projects by name',
  filterPlaceholder: 'Filter by name',
  noMatch: (name: string) => `No project is called “${name}”`,
  noMatchText: (hidden: string) => `The filter hides ${hidden}.`,
  projects: (count: number) => (count === 1 ? '1 project' : `${count} projects`),
  clear: 'Show all',
  asOf: (time: string, ago: string) => `What you see is of ${time}, ${ago}.`,
  nobody: 'nobody',
  people,
  onIt: (count: number) => `${count} on it`,
  escalated: (count: string) => `${count} escalated ·`,
  of: (count: string) => `of ${count}`,
  age: { due: 'past half', past: 'past due' },
  health: {
    not_set: 'not set',
    waiting: 'no delivery yet',
    healthy: 'healthy',
    failing: 'failing',
    paused: 'paused',
  } satisfies Record<Health, string>,

  first: {
    heading: 'Four steps to your first decision',
    done: 'All four steps are done',
    steps: (at: number) => `${at} of 4`,
    dismiss: 'Put this away',
    failed: 'We could not ask how far the project is',
    stepDone: 'done:',
    make: 'Make a project',
    makeText: 'It holds the rules: what passes, what goes to people, and who they are.',
    send: 'Send one item',
    sendText: 'Paste this in a terminal. The key is shown only now, so copy it first.',
    sendLater: 'You get a key and a ready command the moment the project is there.',
    noKey: 'A key is shown once, when it is made. Make one, and the command here works as it stands.',
    makeKey: 'Make a key',
    makeKeyFailed: 'No key was made',
    keyFailed: 'The project is there, but its first key was not made',
    keyName: 'first key',
    command: 'command',
    listeningItem: 'Listening for your first item',
    listeningText: 'it appears here by itself',
    decide: 'Decide it',
    decideKeys: 'in the queue, one key:',
    decideText: 'It arrived and waits for you.',
    decideNone: (review: string, auto: string) =>
      `It arrived, but the rules decided it. Send one with a confidence from ${review} to below ${auto}: people decide that.`,
    toQueue: 'Open the queue',
    listeningDecision: 'Listening for your first decision',
    webhook: 'See the webhook arrive',
    webhookLater: 'signed, at an address of yours',
    webhookUnset: 'Give the project an address that takes a POST. A test event shows at once whether it answers.',
    webhookSet: (host: string) =>
      `The next final decision is posted to ${host}. To see it answer at once, send a test event.`,
    webhookFailing: (host: string) => `${host} does not take it yet. The delivery log says why.`,
    webhookPaused: 'The endpoint is paused. Resume it on the webhook tab.',
    toWebhook: 'Set the webhook',
    toTest: 'To the test event',
    toDeliveries: 'To the deliveries',
    listeningWebhook: 'Listening for your first webhook',
  },

  activity: {
    heading: 'Live',
    lead: 'what your project does, as it happens',
    project: 'Project made',
    key: 'Key made',
    item: 'First item',
    decision: 'First decision',
    webhook: 'First webhook',
    toCome: {
      key: 'your first key',
      item: 'your first item',
      decision: 'your first decision',
      webhook: 'your first webhook, signed',
    },
    answered: (status: string) => `answered ${status}`,
    by: (action: string, name: string) => `${action} by ${name}`,
    actionLabels: {
      auto_approve: 'approved',
      approve: 'approved',
      edit: 'edited',
      reject: 'rejected',
      finalize: 'kept with people',
    },
  },

  demo: {
    question: 'No pipeline at hand?',
    load: 'Load 20 demo items',
    lead: 'Samples come in through the public API with your key, each with source: demo.',
    sent: (done: number, all: number) => `${done} of ${all} sent`,
    all: (all: number) => `${all} demo items sent`,
    failed: 'Not all demo items were sent',
  },
} as const;
