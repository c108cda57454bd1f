// Texts of the page “Name and offers”.
import type { Role } from '@countersign/shared/enums';

export const messages = {
  page: 'Name and offers',
  failed: 'These settings could not be loaded',
  name: 'Your name',
  nameText: 'Shown in all your projects. Without a name, your shortened address is shown.',
  nameLabel: 'Name',
  save: 'Save',
  nameSaved: (name: string) => `Your name is now ${name}.`,
  nameRemoved: 'Your name was removed. Your shortened address is shown instead.',
  nameFailed: 'Your name was not saved',

  offers: 'Membership offers',
  none: 'No offers. A membership offered to your wallet is listed here.',
  offersFailed: 'The offers could not be loaded',
  as: (role: Role) => `as ${role}, by`,
  showMore: 'Show more',
  answerFailed: 'Your choice was not saved',
  refuseLabel: (name: string) => `Decline all from this wallet, now and in future: ${name}`,

  adding: 'Being added to projects',
  addingText:
    'Owners offer you a membership, and you accept or decline it. You can let people who share a project with you add you without asking. Becoming an owner always needs your consent.',
  allowDirect: 'People I share a project with may add me to their projects directly, as reviewer or supervisor',
  addingNotSaved: 'Not saved',
  addingSaved: (allowed: boolean) =>
    allowed ? 'People who share a project with you may add you directly.' : 'Everyone has to ask you first.',

  refused: 'Declined wallets',
  refusedText: 'You do not see offers from these wallets. They are not notified.',
  refusedFailed: 'The wallets could not be loaded',
  allow: 'Allow again',
  allowLabel: (name: string) => `Allow again: ${name}`,
  allowFailed: 'The wallet is still declined',
} as const;
