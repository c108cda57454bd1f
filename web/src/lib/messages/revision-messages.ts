// Texts of revising a final decision (RV).

export const revisionMessages = {
  open: 'Revise decision',
  heading: 'Revise this decision',
  lead: 'The new decision replaces the present one and is final at once. The pipeline is notified. An open report of a mistake in it is overturned.',
  action: 'New decision',
  was: (was: string) => `It is ${was} now.`,
  noAction: 'Choose the new decision.',
  change: (was: string, now: string) => `From ${was} to ${now}`,
  reason: 'Reason',
  reasonHint: 'Why the decision changes',
  noReason: 'Enter a reason.',
  offered: 'Reasons of this project',
  note: 'Note (optional)',
  send: 'Send revision',
  cancel: 'Cancel',
  failed: 'The revision was not saved',
  meanwhile:
    'Someone else revised this decision meanwhile: the decision above is theirs. What you typed is still here. Sending it again revises the decision above.',
  sent: 'Decision revised',
  saved: 'Your draft is saved in this browser.',
  notPersisted: 'This browser did not save your draft: it lasts only as long as this tab.',
} as const;
