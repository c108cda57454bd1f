// Every string of what audits say. English first.
export const messages = {
  question: 'How often is an automatic answer wrong?',
  file: 'audits',
  failed: 'What audits say could not be loaded',
  stale: 'What audits say could not be refreshed',

  none: 'Not known: nothing is drawn for an audit. An owner sets the audit rate in the rules of the project.',
  waiting: (drawn: string) =>
    `Not known yet: ${drawn} drawn, and nobody has judged one. They wait in the queue like any other item.`,
  empty: (rate: string) => `Not known yet: ${rate} of what passes automatically is drawn, and nothing was so far.`,
  atMost: (anytime: string) => `At most ${anytime} are wrong, with 95 %, however often you look.`,
  few: (anytime: string) => `Too few audits to tell: at most ${anytime}, with 95 %, however often you look.`,
  within: (budget: string) => `The budget is ${budget}: proven.`,
  over: (budget: string) => `The budget is ${budget}: it may be more.`,
  overThroughModels: (budget: string) =>
    `The budget is ${budget}: it may be more, counted together with earlier models; the newest alone has too few audits to tell.`,
  tooLittle: (budget: string) => `The budget is ${budget}: not proven yet.`,
  left: (n: string) => `${n} more audits without an error prove it.`,
  leftOne: 'One more audit without an error proves it.',
  progress: (judged: string, left: string) =>
    `${judged} judged, ${left} more without an error until the budget is proven`,
  noneLeft: 'No number of audits proves it as things are: none are drawn now, or too much is known to be wrong.',

  unit: (n: string, wrong: string, auto_threshold: string) =>
    `answers from ${auto_threshold} up that a person looked at again · n ${n}, ${wrong} edited or rejected`,
  since: {
    time: (day: string) => `counted since ${day}`,
    auto_threshold: (day: string) => `counted since ${day}, when what passes by itself was changed`,
    raised: (day: string) => `counted since ${day}, when the line was raised by itself`,
    model: (day: string, model: string) => `counted since ${day}, when ${model} began`,
  },
  aModel: (name: string) => `the model ${name}`,
  noModel: 'answers without a model’s name',
  wait: (n: string) => `${n} still wait`,
  gap: 'for a part of that time nothing was drawn',
  more: 'the newest 10,000',

  bar: ({ estimate, once, anytime }: Record<'estimate' | 'once' | 'anytime', string>) =>
    `Of the automatic answers ${estimate} were wrong: at most ${once} now, at most ${anytime} however often you look`,
  once: (bound: string) => `now: at most ${bound}`,
  anytime: (bound: string) => `however often you look: at most ${bound}`,
  explain:
    '“Now” is right if you look once. If you look every day, one of the days looks better than it is: the second bound allows for that. Budget, alerts and a raised line go by it.',
  budget: (budget: string) => `budget ${budget}`,

  columns: { figure: 'figure', value: 'value' },
  rows: {
    auto_threshold: 'automatic from',
    rate: 'audit rate',
    drawn: 'drawn',
    judged: 'judged (n)',
    wrong: 'edited or rejected',
    estimate: 'error',
    bound: 'at most, with 95 %, now',
    anytime: 'at most, with 95 %, however often you look',
    left: 'more audits without an error until the budget is proven',
    budget: 'error budget',
  },
} as const;
