// Texts that the open item announces.

export const announcementMessages = {
  lostRace: (name: string) => `${name} claimed it first`,
  nothingLeft: 'No more items for you',
  extended: 'Claim extended',
  undone: 'Decision undone',
  withdrawn: (typed: boolean) => `The pipeline withdrew this item${typed ? '. Your draft is saved' : ''}`,
  expired: (typed: boolean) => `The deadline of this item passed${typed ? '. Your draft is saved' : ''}`,
  passedOn: (typed: boolean) => `Deadline passed: supervisors have it now${typed ? '. Your draft is saved' : ''}`,
  leaseEnded: 'Your claim expired. Anything you typed is saved',
  takenOver: (name: string) => `${name} took over this item`,
  draftSaved: 'Your draft is saved',
  decidedFirst: (name: string) => `${name} already decided this item`,
  copied: 'Draft copied',
  notCopied: "Couldn't copy. Select the text and copy it manually",
  leaseEnds: (key: string) =>
    key === ''
      ? 'Your claim expires in less than a minute'
      : `Your claim expires in less than a minute. Press ${key} to extend it`,
} as const;
