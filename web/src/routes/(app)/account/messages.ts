// Texts of the page “Name, offers and notifications”.
import type { Role } from '@countersign/shared/enums';

export const messages = {
  page: 'Name, offers and notifications',
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

  notices: {
    heading: 'Browser notifications',
    text: 'This browser tells you when an item that you can decide is due in 5 minutes, and how many items arrived while you were away. They show counts and project names, never content. You get them while Countersign is open in a tab that you are not looking at.',
    turnOn: 'Turn on notifications',
    turnOff: 'Turn off notifications',
    on: 'Notifications are on in this browser.',
    off: 'Notifications are off in this browser.',
    confirmTitle: 'Notifications are on',
    confirmText: 'This is what they look like.',
    notLasting: 'Your browser does not store this setting. It ends when you close or reload this tab.',
    refused: {
      denied:
        'Your browser blocks notifications from this site. Allow them in the site settings, beside the address of this page, and then turn them on here.',
      closed: 'Your browser has not allowed notifications. Press the button again, and choose “Allow” when it asks.',
      unsupported:
        'This browser cannot show notifications of this page. Use a desktop browser, such as Chrome, Edge, Firefox or Safari, over HTTPS. The tab title still shows how many items wait for you.',
    },
    /** They were allowed, and no longer are. */
    stopped: 'Notifications are turned on here, but none appear.',
    quiet: 'Quiet hours',
    quietLabel: 'Show no notifications at these times',
    from: 'From',
    to: 'Until',
    quietHint: 'In the time zone of this device. The hours can go past midnight.',
    sameTimes: 'Choose two different times.',
    noTime: 'Enter a time.',
  },

  refused: 'Declined wallets',
  refusedText: 'You do not see offers from these wallets. They are not notified.',
  refusedFailed: 'The wallets could not be loaded',
  allow: 'Allow again',
  allowLabel: (name: string) => `Allow again: ${name}`,
  allowFailed: 'The wallet is still declined',
} as const;
