// Every string of what audits say. English first.
export const words = {
  question: 'How often is an automatic answer wrong?',
  file: 'audits',
  failed: 'What audits say could not be loaded',
  stale: 'What audits say could not be refreshed',

  none: 'Not known: nothing is drawn for an audit. An owner sets the audit rate in the rules of the project.',
  waiting: (drawn: string) =>
    `Not known yet: ${drawn} drawn, and nobody has judged one. They wait in the queue like any other item.`,
  empty: (rate: string) => `Not known yet: ${rate} of what passes automatically is drawn, and nothing was so far.`,
  atMost: (bound: string) => `At most ${bound} are wrong, with 95 %.`,
  few: (bound: string) => `Too few audits to tell: at most ${bound}, with 95 %.`,
  within: (budget: string) => `The budget is ${budget}: within it.`,
  over: (budget: string) => `The budget is ${budget}: it may be more.`,
  tooLittle: (needed: string, budget: string) =>
    `For a budget of ${budget} it takes ${needed} audits without an error.`,
  sinceRaised: (judged: string) => `Since the line was raised by itself there are ${judged}.`,

  unit: (n: string, wrong: string, line: string) =>
    `answers from ${line} up that a person looked at again, arrived in the last 30 days · n ${n}, ${wrong} edited or rejected`,
  wait: (n: string) => `${n} still wait`,
  gap: 'for a part of that time nothing was drawn',
  more: 'the newest 10,000',

  bar: (estimate: string, bound: string) => `Of the automatic answers ${estimate} were wrong, at most ${bound}`,
  bound: (bound: string) => `at most ${bound}`,
  budget: (budget: string) => `budget ${budget}`,

  columns: { figure: 'figure', value: 'value' },
  rows: {
    line: 'automatic from',
    rate: 'audit rate',
    drawn: 'drawn',
    judged: 'judged (n)',
    wrong: 'edited or rejected',
    estimate: 'error',
    bound: 'at most, with 95 %',
    budget: 'error budget',
  },
} as const;
