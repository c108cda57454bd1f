// Texts of onboarding, and of what a project needs before production.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';
import type { DecisionAction } from '@countersign/shared/enums';
import { ACTIONS } from '@countersign/shared/review-actions';

export const onboardingMessages = {
  first: {
    heading: 'Get started',
    done: 'You are all set',
    steps: (at: number) => `${at} of 4`,
    dismiss: 'Dismiss',
    failed: 'Your progress could not be loaded',
    stepDone: 'done:',
    make: 'Create a project',
    makeText: 'It holds your thresholds, your reviewers and your settings.',
    send: 'Send your first item',
    sendText: 'Run this in a terminal. Copy the key now; you will not see it again.',
    sendLater: 'You get an API key and a ready-to-run command.',
    noKey: 'Create a key to get a command that works as is.',
    makeKey: 'Create key',
    makeKeyFailed: 'The key was not created',
    keyFailed: 'The project was created, but its API key was not',
    keyName: AUTOMATIC_KEY_NAMES[0],
    command: 'command',
    listeningItem: 'Waiting for your first item…',
    listeningText: 'shown here on arrival',
    decide: 'Review it',
    decideKeys: 'one key each:',
    decideText: 'Your item has arrived.',
    decideNone: (review: string, auto: string) =>
      `Nobody decided it. Send one with a confidence from ${review} to below ${auto} to review it yourself.`,
    toQueue: 'Open queue',
    listeningDecision: 'Waiting for your first decision…',
    webhook: 'Receive the webhook',
    webhookLater: 'signed, at your URL',
    webhookUnset: 'Add a URL that accepts POST, then send a test event.',
    webhookSet: (host: string) => `The next final decision goes to ${host}. Send a test event to check it now.`,
    webhookFailing: (host: string) => `${host} is rejecting deliveries. See the delivery log.`,
    webhookPaused: 'The webhook is paused. Resume it on the Webhook tab.',
    toWebhook: 'Set up the webhook',
    toTest: 'Send test event',
    toDeliveries: 'View deliveries',
    listeningWebhook: 'Waiting for your first webhook…',
  },

  readiness: {
    heading: 'Before production',
    ready: 'Ready for production',
    steps: (at: number) => `${at} of 4`,
    done: 'done:',
    dismiss: 'Hide this list',
    hideFailed: "Couldn't hide the list",
    failed: 'What is left could not be loaded',
    items: {
      receiver: {
        title: 'Verify your receiver',
        text: 'Set the webhook URL and send a test event. This is done when the URL responds with 2xx.',
        link: 'Webhook',
      },
      reviewer: {
        title: 'Invite a reviewer',
        text: 'Add a reviewer or supervisor, or create an invite.',
        link: 'People',
      },
      thresholds: {
        title: 'Set the thresholds',
        text: 'Choose the confidence from which answers are auto-approved.',
        link: 'Rules',
      },
      key: {
        title: 'Create a named API key',
        text: 'Give your production pipeline a key of its own, so that you can tell who submits and revoke it alone.',
        link: 'API keys',
      },
    },
  },

  activity: {
    heading: 'Live',
    lead: 'activity as it happens',
    project: 'Project created',
    key: 'API key created',
    item: 'First item',
    decision: 'First decision',
    webhook: 'First webhook',
    toCome: {
      key: 'your first API key',
      item: 'your first item',
      decision: 'your first decision',
      webhook: 'your first webhook, signed',
    },
    answered: (status: string) => `responded with ${status}`,
    by: (action: DecisionAction, name: string) =>
      `${ACTIONS[action === 'auto_approve' ? 'approve' : action].past} by ${name}`,
  },

  demo: {
    question: 'No pipeline yet?',
    load: 'Load 20 demo items',
    lead: 'Sends samples through the public API with your key, marked source: demo.',
    sent: (done: number, all: number) => `${done} of ${all} sent`,
    all: (all: number) => `Loaded ${all} demo items`,
    failed: 'Some demo items failed to load',
  },
} as const;
