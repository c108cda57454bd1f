// Texts of the webhook endpoints of a project.
import { DELIVERED_EVENTS } from '@countersign/shared/enums';
import { MAX_ENDPOINTS } from '@countersign/shared/limits';

const eventsOf = (events: readonly string[]): string =>
  events.length === DELIVERED_EVENTS.length ? 'all events' : events.join(', ');

export const endpointMessages = {
  heading: 'Endpoints',
  lead: `Each gets its events as signed POST requests. Up to ${MAX_ENDPOINTS}, each with its own events, secret and health. A slow or failing one does not delay the others.`,
  none: 'No endpoint yet. Decisions are only available through GET /api/public/events.',
  failed: 'The endpoints could not be loaded',
  add: 'Add endpoint',
  addTitle: 'New endpoint',
  full: `This project has ${MAX_ENDPOINTS} endpoints. Remove one to add another.`,
  url: 'URL',
  description: 'Description',
  descriptionHint: 'Optional. Shown in the delivery log instead of the host.',
  events: 'Events',
  noEvents: 'Choose at least one event.',
  eventsOfFirst: 'The events of this endpoint are those chosen under “Events”, for the feed too.',
  enabled: 'Enabled',
  enabledText: 'When off, new events are not sent here, and waiting deliveries are kept.',
  off: 'off',
  save: 'Save endpoint',
  cancel: 'Cancel',
  edit: 'Edit',
  editName: (name: string) => `Edit ${name}`,
  conflict: {
    removed: 'Someone else removed this endpoint. Save again to add yours.',
    url: (url: string) => `Someone else changed the URL to ${url}. Save again to use yours.`,
    description: (description: string) =>
      description === ''
        ? 'Someone else removed the description. Save again to use yours.'
        : `Someone else changed the description to “${description}”. Save again to use yours.`,
    events: (events: readonly string[]) =>
      `Someone else changed the events to ${eventsOf(events)}. Save again to use yours.`,
  },
  saveFailed: 'The endpoint was not saved',
  saved: 'Endpoint saved.',
  resume: 'Resume',
  resumeName: (name: string) => `Resume ${name}`,
  paused: 'It returned 410 Gone. Its deliveries are kept until you resume.',
  resumeFailed: 'The endpoint is still paused',
  resumed: 'Resumed. Queued deliveries are being sent.',
  backoff: (failures: number) =>
    `It has failed ${failures} times in a row. Its deliveries are on hold: no attempts are used and nothing is lost.`,
  nextTry: (left: string) => `Next try in ${left}.`,
  tryingNow: 'Trying one delivery now.',
  eventsOf,
  testName: (name: string) => `Send test event to ${name}`,
  remove: 'Remove',
  removeName: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: 'Nothing more is sent to it. Deliveries that wait for it are cancelled, and its secret stops working.',
  removeFirstText:
    'Nothing more is sent to it. Deliveries that wait for it are kept, for the endpoint that you add next. Its secret stays too.',
  removeFailed: 'The endpoint was not removed',
  removed: 'Endpoint removed.',
  shown: 'Secret of the new endpoint',
  shownText: 'It signs all deliveries to this endpoint.',
} as const;
