// Every string of the page “Name and offers”.
import type { Role } from '@countersign/shared/enums';

export const messages = {
  page: 'Name and offers',
  failed: 'These settings could not be loaded',
  name: 'Your name',
  nameText: 'Every project you are in shows it. Without one your shortened address is shown.',
  nameLabel: 'Name',
  save: 'Save',
  nameSaved: (name: string) => `You are called ${name} now.`,
  nameRemoved: 'You have no name now: your shortened address is shown.',
  nameFailed: 'Your name was not saved',

  offers: 'Seats offered to you',
  none: 'None. A seat that somebody offers to your wallet is listed here.',
  offersFailed: 'The offers could not be loaded',
  as: (role: Role) => `as ${role}, by`,
  showMore: 'Show more',
  answerFailed: 'Your answer was not saved',
  refuseLabel: (name: string) => `Decline all from this wallet, now and later: ${name}`,

  adding: 'Being added to projects',
  addingText:
    'Owners offer you a seat, and you accept or decline it. You can let people who share a project with you skip that. Nobody makes you an owner without asking.',
  allowDirect: 'People I share a project with may add me to their projects directly, as reviewer or supervisor',
  addingNotSaved: 'Not saved',
  addingSaved: (allowed: boolean) =>
    allowed ? 'People who share a project with you may add you directly.' : 'Everyone has to ask you first.',

  refused: 'Wallets you refuse',
  refusedText: 'You see nothing that they offer. They are not told.',
  refusedFailed: 'The wallets could not be loaded',
  allow: 'Allow again',
  allowLabel: (name: string) => `Allow again: ${name}`,
  allowFailed: 'The wallet is still refused',
} as const;
