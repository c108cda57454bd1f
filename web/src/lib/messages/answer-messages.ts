// Texts of typed answers and tool calls on an open item.

export const answerMessages = {
  faults: {
    heading: (count: number) =>
      count === 1
        ? "The suggestion doesn't fit its schema"
        : `The suggestion doesn't fit its schema in ${count} places`,
    hint: "It can't be approved as it is.",
    edit: 'Edit opens it at the first of them.',
  },
  none: 'No suggestion. A person writes the answer.',
  write: 'Write answer',
  send: 'Send answer',
  call: {
    heading: 'Tool call',
    runs: 'Runs',
    none: 'without arguments',
    argument: 'Argument',
    value: 'Value',
    before: 'Suggested',
    after: 'Changed to',
    removed: 'left out',
    added: 'not suggested',
    changed: (count: number) => (count === 1 ? '1 argument changed' : `${count} arguments changed`),
  },
  response: {
    field: 'Answer in words',
    hint: 'Sent instead of letting it happen.',
    empty: 'Write the answer first.',
    send: 'Send answer',
    cancel: 'Cancel',
    sent: 'Answered in words',
  },
} as const;
