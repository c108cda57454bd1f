// Texts of the audit result.
export const messages = {
  question: 'How accurate are auto-approvals?',
  file: 'audits',
  failed: "Couldn't load audits",
  stale: "Couldn't refresh audits",

  none: 'Not known: audits are off. An owner can set an audit rate in Rules.',
  waiting: (drawn: string) =>
    `Not known yet: ${drawn} sampled, none reviewed. Audits wait in the queue like any other item.`,
  allEnded: (drawn: string) => `Not known yet: ${drawn} sampled, none reviewed before they expired or were withheld.`,
  empty: (rate: string) => `Not known yet: ${rate} of auto-approvals are audited, and none has been sampled so far.`,
  atMost: (anytime: string) => `At most ${anytime} are wrong (95% confidence).`,
  few: (anytime: string) => `Too few audits to tell: at most ${anytime} are wrong (95% confidence).`,
  within: (budget: string) => `Confirmed to be within the ${budget} budget.`,
  over: (budget: string) => `Possibly over the ${budget} budget.`,
  overThroughModels: (budget: string) =>
    `Possibly over the ${budget} budget, counting earlier models; the newest model alone has too few audits to tell.`,
  tooLittle: (budget: string) => `Not yet confirmed to be within the ${budget} budget.`,
  left: (n: string) => `${n} more error-free audits would confirm that the budget is met.`,
  leftOne: 'One more error-free audit would confirm that the budget is met.',
  progress: (judged: string, left: string) => `${judged} reviewed, ${left} more error-free to confirm the budget`,
  noneLeft: 'No number of audits can confirm it at the moment: none are being sampled, or too many errors are known.',

  unit: (n: string, wrong: string, auto_threshold: string) =>
    `audited answers with confidence ${auto_threshold} or higher · n ${n}, ${wrong} edited or rejected`,
  since: {
    time: (day: string) => `counted since ${day}`,
    auto_threshold: (day: string) => `counted since ${day}, when the auto-approval rules changed`,
    raised: (day: string) => `counted since ${day}, when the threshold was raised automatically`,
    model: (day: string, model: string) => `counted since ${day}, when audits of ${model} began`,
  },
  aModel: (name: string) => `model ${name}`,
  noModel: 'answers without a model name',
  wait: (n: string) => `${n} pending`,
  ended: (n: string) => `${n} expired or withheld`,
  gap: 'nothing was sampled for part of that time',
  more: 'newest 10,000 only',

  bar: ({ estimate, once, anytime }: Record<'estimate' | 'once' | 'anytime', string>) =>
    `${estimate} of audited auto-approvals were wrong: at most ${once} if checked once, at most ${anytime} if checked continuously`,
  once: (bound: string) => `if checked once: at most ${bound}`,
  anytime: (bound: string) => `if checked continuously: at most ${bound}`,
  explain:
    'The first bound holds if you check once. If you check every day, some days look better than they are by chance: the second bound allows for that. The budget, notifications and raised thresholds use the second.',
  budget: (budget: string) => `budget ${budget}`,

  columns: { figure: 'figure', value: 'value' },
  rows: {
    auto_threshold: 'auto-approve from',
    rate: 'audit rate',
    drawn: 'sampled',
    judged: 'reviewed (n)',
    wrong: 'edited or rejected',
    waiting: 'pending',
    ended: 'expired or withheld',
    estimate: 'error rate',
    bound: 'at most (95%), checked once',
    anytime: 'at most (95%), checked continuously',
    left: 'error-free audits still needed to confirm the budget',
    budget: 'error budget',
  },
} as const;
