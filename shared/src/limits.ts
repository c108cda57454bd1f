// The bounds that the pages and the server share: sizes, counts and times.

/** The limit up to which dead deliveries are counted; one more means "more than this". */
export const DEAD_COUNTED = 1000;

/** Maximum number of deliveries, the newest, in the figures of the last 24 hours (WH11). */
export const RECENT_DELIVERIES = 1000;

/** The names of API keys that were created automatically: by the first steps of a project, and by the demo. */
export const AUTOMATIC_KEY_NAMES = ['Default key', 'Demo pipeline'] as const;

/** Days that a trend covers, including today. */
export const TREND_DAYS = 14;

/** Maximum number of clusters in one response. */
export const MAX_CLUSTERS = 200;

/** Maximum number of reasons listed per cluster, most common first. */
export const REASONS_SHOWN = 50;

/** How long an invite is valid, in hours. */
export const INVITE_HOURS = { least: 1, usual: 72, most: 720 } as const;

/** Maximum number of values listed per field. */
export const VALUES_LISTED = 50;

/** Maximum number of webhook endpoints of a project (WH12). */
export const MAX_ENDPOINTS = 10;

/** Maximum length of the description of an endpoint. */
export const ENDPOINT_DESCRIPTION = 100;

/** How long both webhook secrets sign in each phase of a rotation, in hours. */
export const OVERLAP_HOURS = { least: 1, usual: 24, most: 168 } as const;

/** How long an offer can be accepted, in days. */
export const OFFER_DAYS = 14;

/**
 * Sizes and counts above which a submission is refused (docs/spec/public-api.md#limits). Bytes are counted after
 * decompression.
 */
export const LIMITS = {
  /** The span of a deadline, and of its extension, in seconds: from ten to a year. */
  deadlineSeconds: { least: 10, most: 31_536_000 },
  itemBytes: 256 * 1024,
  batchBytes: 5 * 1024 * 1024,
  batchItems: 500,
  depth: 32,
  nodes: 10_000,
  keyLength: 256,
  riskFlags: 50,
  riskFlagLength: 100,
  metadataKeys: 50,
  titleLength: 200,
  /** The longest reason and note of a decision, and the longest answer in words, in code points. */
  reasonLength: 500,
  noteLength: 4000,
  responseLength: 20_000,
  /** The longest a request may wait for a decision, in seconds. */
  waitSeconds: 60,
  pageItems: 100,
} as const;

/** The limit up to which the view counts are exact; one more means "more than this". */
export const COUNT_LIMIT = 10_000;

/** Maximum number of events in one response of an item's history. */
export const HISTORY_EVENTS = 100;

/** Items that one person may claim at a time (LC4). Bulk claims count, but are not limited by it. */
export const MAX_CLAIMS = 3;

/** Maximum number of items in a bulk claim. */
export const MAX_BULK_CLAIMS = 100;

/** Maximum number of items, and of people, in one response. */
export const SEARCH_RESULTS = 20;

/** Maximum number of cases of a run: the newest. */
export const MAX_CASES = 10_000;

/** Maximum number of arrivals, and of human decisions, in a sample; the newest count. */
export const SAMPLE_SIZE = 10_000;

/** Maximum number of items in a forecast of `skills`; the newest count. */
export const SKILL_SAMPLE = 1000;

/** The days over which overturned decisions are counted (OF1). */
export const OVERTURNED_DAYS = 30;

/** Maximum number of similar items in one response. */
export const SIMILAR_ITEMS = 20;

/** Maximum length of a URL: of a webhook, of a notification, and of a file in an item. */
export const URL_LENGTH = 2048;

/** Maximum length of a project's name. */
export const PROJECT_NAME_LENGTH = 120;

/** The bounds of a project's notifications and of their rules (NO1, NO4). */
export const NOTIFICATION_LIMITS = {
  perProject: 10,
  waitMinutes: { least: 1, most: 43_200 },
  waitingItems: { least: 1, most: 9999 },
  /** The share of the time to the deadline that has passed. */
  deadlineShare: { least: 0.01, usual: 0.8, most: 0.99 },
} as const;
