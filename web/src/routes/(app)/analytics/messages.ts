// Every string of the analytics page, grouped by place. English first.
import { count, share } from '#lib/format/format.ts';
import type { Analytics } from '@countersign/shared/api/analytics';
import type { Range } from './range.ts';

/** The level of every interval on the page. */
const LEVEL = share(0.95, 1);

export const messages = {
  page: 'Analytics',

  choice: {
    label: 'Project',
    failed: 'Your projects could not be loaded',
    none: 'There is no project yet',
    noneText: 'Make one, or ask the owner of a project to offer you a seat.',
    toProjects: 'To your projects',
    missing: 'There is no such project',
    missingText: 'It does not exist, or you are not a member of it. Ask its owner to offer you a seat.',
    forbidden: 'Your role may not see this',
    forbiddenText: (project: string) =>
      `In ${project} you are a reviewer. Supervisors and owners see this page: ask an owner to change your role, or choose another project.`,
    toQueue: 'To the queue',
  },

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

  window: (zone: string, window: string) => `${zone} · window ${window}`,
  updated: (time: string) => `updated ${time}`,
  notLive: 'not live',
  pause: 'Pause',
  resume: 'Resume',
  counting: (counted: string) =>
    `${counted} of what happened is counted so far: the rest is being caught up, and figures grow meanwhile.`,
  more: 'More has happened than is counted here: nothing takes it into the ledger just now. The rest shows once a worker runs again.',
  failed: 'The figures could not be loaded',
  stale: 'These figures could not be refreshed',

  head: {
    label: 'Now',
    waiting: 'waiting',
    escalated: (n: string) => `${n} escalated`,
    oldest: 'oldest',
    nothingWaits: 'nothing waits',
    pastDue: (n: string) => `${n} past due`,
    decided: {
      hour: 'decided in 1 h',
      day: 'decided in 24 h',
      week: 'decided in 7 days',
      month: 'decided in 30 days',
    } satisfies Record<Range, string>,
    arrived: (n: string) => `${n} arrived`,
    reviewing: 'being reviewed now',
  },

  mix: {
    question: 'Where do items end up?',
    answer: (automatic: string, waiting: string) => `${automatic} passed automatically, ${waiting} still wait.`,
    empty: (when: string) => `Nothing arrived ${when}: an item that is submitted shows here at once.`,
    unit: (n: string, when: string) => `n ${n}, arrived ${when}`,
    parts: 'Items by their status now',
    columns: { status: 'status', items: 'items', share: 'share' },
  },

  flow: {
    question: 'Are we keeping up?',
    clear: 'Yes: nothing waits.',
    inTime: (waiting: string) => `Yes: ${waiting} wait, none past due.`,
    late: (late: string, waiting: string) => `No: ${late} of ${waiting} waiting are past due.`,
    empty: (when: string) => `Nothing arrived and nothing was decided ${when}: either one shows here at once.`,
    unit: (step: string, { enqueued, arrived, decided }: Record<'enqueued' | 'arrived' | 'decided', string>) =>
      `items ${step} · came to people ${enqueued}, of ${arrived} that arrived · decided by people ${decided}`,
    step: {
      hour: 'per 5 min',
      day: 'per hour',
      week: 'per 6 h',
      month: 'per day',
    } satisfies Record<Range, string>,
    names: { lead: 'came', main: 'decided' },
    plot: 'What came to people and what they decided over time; arrow keys read one stretch at a time',
    leads: 'falling behind: more came than was decided',
    partial: 'incomplete',
    read: (when: string, enqueued: string, decided: string) => `${when} · ${enqueued} came · ${decided} decided`,
    columns: { from: 'from', to: 'to', enqueued: 'came to people', decided: 'decided', whole: 'complete' },
    yes: 'yes',
    no: 'no',
  },

  depth: {
    question: 'How deep is the queue?',
    answer: (waiting: string, escalated: string) => `${waiting} wait now, ${escalated} of them escalated.`,
    unit: (step: string) => `items waiting at the end, ${step}`,
    names: { lead: 'escalated', main: 'queued' },
    plot: 'Items waiting over time; arrow keys read one stretch at a time',
    read: (when: string, escalated: string, queued: string) => `${when} · ${queued} queued · ${escalated} escalated`,
    columns: { from: 'from', to: 'to', queued: 'queued', escalated: 'escalated' },
  },

  work: {
    question: 'How is the work spread?',
    answer: (people: number) => (people === 1 ? 'One person worked on it.' : `${count(people)} people worked on it.`),
    empty: (when: string) => `Nobody claimed or decided anything ${when}. The next claim shows here.`,
    unit: (n: string) => `by name, no ranking · decisions n ${n}`,
    columns: {
      name: 'who',
      decided: 'decided',
      overridden: 'overridden',
      moved: 'passed on',
      claimed: 'claimed',
      holding: 'holds now',
    },
  },

  webhook: {
    question: 'Do decisions arrive?',
    answer: (delivered: string, dead: string) =>
      `${delivered} of attempts succeeded, ${dead} deliveries were given up.`,
    empty: (when: string) =>
      `No delivery was tried ${when}. The next final decision of a project with a webhook shows here.`,
    unit: (n: string, p50: string, p99: string) =>
      `attempts n ${n} · to delivery: half within ${p50}, 99 % within ${p99}`,
    noneUnit: (n: string) => `attempts n ${n}, none arrived yet`,
    emptyUnit: 'attempts n 0',
    columns: { outcome: 'outcome', attempts: 'attempts' },
    failed: 'failed, tried again',
    parts: 'Attempts by what came of them',
  },

  time: {
    question: 'How long does a decision take?',
    answer: (half: string, most: string) => `Half within ${half}, nine in ten within ${most}.`,
    one: (length: string) => `One decision, ${length} after its item arrived.`,
    empty: (when: string) => `Not known: nobody decided anything ${when}. The next decision by a person shows here.`,
    unit: (n: string, p99: string, few: boolean) =>
      `arrival to decision, people only, log scale · 99 % within ${p99} · n ${n}${few ? ' < 30, little to go by' : ''}`,
    emptyUnit: 'arrival to decision, people only · n 0',
    underSecond: 'under 1 s',
    p50: (length: string) => `p50 ${length}`,
    p90: (length: string) => `p90 ${length}`,
    target: (length: string) => `target ${length}`,
    columns: { figure: 'figure', seconds: 'seconds', length: 'length' },
    names: { p50: 'half within (p50)', p90: 'nine in ten within (p90)', p99: '99 % within (p99)' },
    claims: (name: string) => `first claim: ${name}`,
    targetName: 'target',
    n: 'decisions (n)',
  },

  slower: {
    question: 'Are decisions getting slower?',
    answer: (when: string, half: string) => `Slowest was ${when}: half within ${half}.`,
    unit: (n: string, flowBuckets: number) =>
      `arrival to decision by when it was decided, log scale · n ${n} in ${flowBuckets === 1 ? 'one stretch' : `${count(flowBuckets)} stretches`}`,
    plot: 'Time to decision over time; arrow keys read one stretch at a time',
    read: (when: string, [p50, p90, p99]: readonly string[], n: string) =>
      `${when} · half within ${p50} · 90 % within ${p90} · 99 % within ${p99} · n ${n}`,
    none: (when: string) => `${when} · nothing was decided`,
    legend: 'Band: half to nine in ten; line up: 99 %; hollow: n < 30; dotted: target',
    columns: { from: 'from', to: 'to', n: 'decided', p50: 'p50 s', p90: 'p90 s', p99: 'p99 s' },
  },

  overrides: {
    question: 'Where is the model wrong?',
    most: ({ name, rate, low, high }: Record<'name' | 'rate' | 'low' | 'high', string>) =>
      `Most often on ${name}: ${rate} edited or rejected (${LEVEL}: ${low} to ${high}).`,
    without: {
      by_flag: 'items without a flag',
      by_model: 'items without a model',
      by_source: 'items without a source',
    } satisfies Record<keyof Analytics['overrides'], string>,
    never: (n: string) => `People changed nothing in ${n} decisions.`,
    few: 'Too few decisions to tell: every group has fewer than 30.',
    empty: (when: string) => `Not known: nobody decided anything ${when}. The next decision by a person shows here.`,
    unit: (n: string) => `edited or rejected by people, Wilson ${LEVEL}, by lower bound · n ${n}`,
    groups: { by_flag: 'By flag', by_model: 'By model', by_source: 'By source' } satisfies Record<
      keyof Analytics['overrides'],
      string
    >,
    more: (n: number) => `${count(n)} more in the table`,
    columns: {
      by: 'by',
      value: 'value',
      decided: 'decided',
      overridden: 'overridden',
      rate: 'rate',
      low: `${LEVEL} from`,
      high: `${LEVEL} to`,
    },
  },

  file: {
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
