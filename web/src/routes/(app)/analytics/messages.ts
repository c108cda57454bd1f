// Texts of the analytics page, grouped by place.
import { count, share, within } from '#lib/format/format.ts';
import type { Analytics } from '@countersign/shared/schemas/analytics';
import { SAMPLE_SIZE } from '@countersign/shared/limits';
import type { Range } from './range.ts';
import type { SECTION_IDS } from './sections.ts';

/** The level of every interval on the page. */
const LEVEL = share(0.95, 1);

export const messages = {
  page: 'Analytics',

  range: {
    label: 'Range',
    names: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } satisfies Record<Range, string>,
    last: {
      hour: 'in the last hour',
      day: 'in the last 24 hours',
      week: 'in the last 7 days',
      month: 'in the last 30 days',
    } satisfies Record<Range, string>,
  },

  jump: {
    label: 'On this page',
    names: {
      flow: 'Queue',
      quality: 'Model quality',
      people: 'People',
      delivery: 'Webhook',
      thresholds: 'Thresholds',
    } satisfies Record<keyof typeof SECTION_IDS, string>,
  },

  window: (zone: string, window: string) => `${zone} · window ${window}`,
  updated: (time: string) => `updated ${time}`,
  notLive: 'not live',
  pause: 'Pause',
  resume: 'Resume',
  counting: (counted: string) => `Catching up: ${counted} of events counted. Figures may still grow.`,
  more: 'Out of date: no worker is processing new events. Figures update when one is running again.',
  failed: "Couldn't load analytics",
  stale: "Couldn't refresh these figures",

  head: {
    label: 'Now',
    waiting: 'waiting',
    escalated: (n: string) => `${n} escalated`,
    oldest: 'oldest',
    nothingWaits: 'nothing waiting',
    pastDue: (n: string) => `${n} past due`,
    decided: {
      hour: 'decided in 1 h',
      day: 'decided in 24 h',
      week: 'decided in 7 days',
      month: 'decided in 30 days',
    } satisfies Record<Range, string>,
    arrived: (n: string) => `${n} received`,
    claimed: 'claimed',
  },

  mix: {
    question: 'Where do items end up?',
    /** AN34: what routing approved, with what people did about it since, and what waits besides. */
    answer: ({
      approved,
      arrived,
      rate,
      since,
      waiting,
    }: Record<'approved' | 'arrived' | 'rate' | 'waiting', string> & { since: readonly string[] }) =>
      since.length === 0
        ? `${approved} of ${arrived} auto-approved (${rate}), ${waiting} waiting.`
        : `${approved} of ${arrived} auto-approved (${rate}), ${since.join(', ')}. ${waiting} others waiting.`,
    inAudit: (n: string) => `${n} of them waiting for an audit`,
    revised: (n: string) => `${n} revised since`,
    empty: (when: string) => `No items received ${when}.`,
    unit: (n: string, when: string) => `n ${n}, received ${when}`,
    parts: 'Items by current status',
    columns: { status: 'status', items: 'items', share: 'share' },
  },

  flow: {
    question: 'Are we keeping up?',
    clear: 'Yes: nothing is waiting.',
    /** AN33: arrivals against decisions say yes or no. */
    ahead: (more: string, when: string) => `Yes: ${more} more decided than sent to review ${when}.`,
    even: (when: string) => `Yes: as many decided as sent to review ${when}.`,
    behind: (more: string, when: string) => `No: ${more} more sent to review than decided ${when}.`,
    inTime: (waiting: string) => `None of the ${waiting} waiting is past due.`,
    oneInTime: 'The one that waits is not past due.',
    late: (late: string, waiting: string) => `${late} of ${waiting} waiting ${late === '1' ? 'is' : 'are'} past due.`,
    empty: (when: string) => `No items received and none decided ${when}.`,
    unit: (step: string, { enqueued, arrived, decided }: Record<'enqueued' | 'arrived' | 'decided', string>) =>
      `${step} · ${enqueued} sent to review (of ${arrived} received) · ${decided} decided by reviewers`,
    step: {
      hour: 'per 5 min',
      day: 'per hour',
      week: 'per 6 h',
      month: 'per day',
    } satisfies Record<Range, string>,
    names: { lead: 'to review', main: 'decided' },
    plot: 'Items sent to review and items decided over time; use the arrow keys to read one interval at a time',
    leads: 'falling behind: more sent to review than decided',
    partial: 'incomplete',
    read: (when: string, enqueued: string, decided: string) =>
      `${when} · ${enqueued} sent to review · ${decided} decided`,
    columns: { from: 'from', to: 'to', enqueued: 'sent to review', decided: 'decided', whole: 'complete' },
    yes: 'yes',
    no: 'no',
  },

  depth: {
    question: 'How long is the queue?',
    answer: (waiting: string, escalated: string) => `${waiting} waiting now (${escalated} escalated).`,
    unit: (step: string) => `waiting at the end of each interval (${step})`,
    names: { lead: 'escalated', main: 'queued' },
    plot: 'Items waiting over time; use the arrow keys to read one interval at a time',
    read: (when: string, escalated: string, queued: string) => `${when} · ${queued} queued · ${escalated} escalated`,
    columns: { from: 'from', to: 'to', queued: 'queued', escalated: 'escalated' },
  },

  work: {
    question: 'Who did the work?',
    answer: (people: number) =>
      people === 1 ? '1 person worked on items.' : `${count(people)} people worked on items.`,
    empty: (when: string) => `Nobody claimed or decided an item ${when}.`,
    unit: (n: string) => `sorted by name, not ranked · decisions n ${n}`,
    columns: {
      name: 'name',
      decided: 'decided',
      overridden: 'changed or rejected',
      moved: 'escalated or returned',
      claimed: 'claimed',
      holding: 'holds',
    },
  },

  webhook: {
    question: 'Are webhooks delivered?',
    /** WH10: deliveries, and not their attempts. */
    all: (n: string) => (n === '1' ? 'The one delivery arrived.' : `All ${n} deliveries arrived.`),
    some: (rate: string, n: string, dead: string) =>
      `${rate} of ${n === '1' ? 'one delivery' : `${n} deliveries`} arrived, ${dead} failed permanently.`,
    none: 'No delivery has ended yet.',
    retrying: (n: string, age: string) => `${n} retrying${n === '1' ? ' for' : ', the oldest for'} ${age}.`,
    empty: (when: string) => `No webhook deliveries ${when}.`,
    unit: (n: string, p50: string, p99: string) =>
      `attempts n ${n} · time to delivery: 50% ${within(p50)}, 99% ${within(p99)}`,
    noneUnit: (n: string) => `attempts n ${n}, none delivered yet`,
    emptyUnit: 'attempts n 0',
    columns: { outcome: 'outcome', attempts: 'attempts' },
    failed: 'failed, will retry',
    parts: 'Attempts by outcome',
  },

  time: {
    question: 'How long does a decision take?',
    answer: (half: string, most: string) => `50% ${within(half)}, 90% ${within(most)}.`,
    one: (length: string) => `One decision, ${length} after the item was received.`,
    empty: (when: string) => `No decisions ${when}.`,
    unit: (n: string, p99: string, few: boolean) =>
      `from arrival to human decision (log scale) · 99% ${within(p99)} · n ${n}${few ? ' (small sample)' : ''}`,
    emptyUnit: 'from arrival to human decision · n 0',
    p50: (length: string) => `p50 ${length}`,
    p90: (length: string) => `p90 ${length}`,
    target: (length: string) => `target ${length}`,
    columns: { figure: 'figure', seconds: 'seconds', length: 'duration' },
    names: { p50: 'median (p50)', p90: '90% within (p90)', p99: '99% within (p99)' },
    claims: (name: string) => `first claim: ${name}`,
    targetName: 'target',
    n: 'decisions (n)',
  },

  slower: {
    question: 'Are decisions getting slower?',
    answer: (when: string, half: string) => `Slowest: ${when}, 50% ${within(half)}.`,
    unit: (n: string, flowBuckets: number) =>
      `from arrival to human decision, by time of decision (log scale) · n ${n} in ${flowBuckets === 1 ? '1 interval' : `${count(flowBuckets)} intervals`}`,
    plot: 'Time to decision over time; use the arrow keys to read one interval at a time',
    read: (when: string, times: readonly string[], n: string) => {
      const [p50, p90, p99] = times.map(within);
      return `${when} · 50% ${p50} · 90% ${p90} · 99% ${p99} · n ${n}`;
    },
    none: (when: string) => `${when} · no decisions`,
    legend: 'Band: 50% to 90%. Line: 99%. Hollow: n < 30. Dotted: target.',
    columns: { from: 'from', to: 'to', n: 'decided', p50: 'p50 s', p90: 'p90 s', p99: 'p99 s' },
  },

  overrides: {
    question: 'Where is the model wrong?',
    most: ({ name, rate, low, high }: Record<'name' | 'rate' | 'low' | 'high', string>) =>
      `Most often for ${name}: ${rate} changed or rejected (${LEVEL} interval: ${low} to ${high}).`,
    without: {
      by_flag: 'items without a flag',
      by_model: 'items without a model',
      by_source: 'items without a source',
    } satisfies Record<keyof Analytics['overrides'], string>,
    never: (n: string) => `No changes in ${n} decisions.`,
    few: 'Not enough data: every group has fewer than 30 decisions.',
    empty: (when: string) => `No decisions ${when}.`,
    unit: (n: string) => `changed or rejected by reviewers, Wilson ${LEVEL} interval, sorted by lower bound · n ${n}`,
    groups: { by_flag: 'By flag', by_model: 'By model', by_source: 'By source' } satisfies Record<
      keyof Analytics['overrides'],
      string
    >,
    more: (n: number) => `${count(n)} more in the table`,
    columns: {
      by: 'by',
      value: 'value',
      decided: 'decided',
      overridden: 'changed or rejected',
      rate: 'rate',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
    },
  },

  invalid: {
    question: 'Do suggestions fit their schema?',
    some: (invalid: string, judged: string, rate: string) =>
      `${invalid} of ${judged} checked suggestions don't fit (${rate}).`,
    all: (judged: string) => `All ${judged} checked suggestions fit.`,
    empty: (when: string) => `No suggestions were checked against a schema ${when}.`,
    unit: (n: string, since: string | null) =>
      `newest ${count(SAMPLE_SIZE)} arrivals at most${since === null ? '' : ` since ${since} (retention has deleted the content of some earlier ones)`}, Wilson ${LEVEL} interval, sorted by lower bound · n ${n}`,
    columns: {
      model: 'model',
      judged: 'checked',
      invalid: "don't fit",
      rate: 'rate',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
    },
  },

  expired: {
    question: 'How many items miss their deadline?',
    some: ({ n, ended, rate, low, high }: Record<'n' | 'ended' | 'rate' | 'low' | 'high', string>) =>
      `${n} of ${ended} items were not decided before their deadline: ${rate} (${LEVEL} interval: ${low} to ${high}).`,
    none: (when: string) => `No item missed its deadline ${when}.`,
    unit: (n: string) =>
      `items that expired or were rejected at their deadline, of all items decided or ended by a deadline; Wilson ${LEVEL} interval · n ${n}`,
    columns: {
      by: 'by',
      value: 'value',
      ended: 'decided or ended',
      expired: 'missed',
      rate: 'rate',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
    },
  },

  file: {
    expired: 'missed deadlines',
    invalid: 'schema fit',
    mix: 'where items end up',
    flow: 'keeping up',
    time: 'time to decision',
    slower: 'time to decision over time',
    overrides: 'overrides',
    depth: 'queue depth',
    work: 'work',
    webhook: 'webhook',
  },
};
