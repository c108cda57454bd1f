// Texts of creating a project, and of being in none yet.
import { AUTOMATIC_KEY_NAMES } from '@countersign/shared/limits';

export const createMessages = {
  title: 'New project',
  lead: 'Just a name to start. You can change everything else later.',
  name: 'Name',
  nameHint: 'For example “Support replies”.',
  submit: 'Create project',
  failed: 'The project was not created',
  keyName: AUTOMATIC_KEY_NAMES[0],
} as const;

export const noProjectMessages = {
  heading: 'You are not in a project yet',
  text: 'Send this address to a project owner. Once they offer you a membership under People, the offer shows up here.',
  address: 'Your wallet address',
  copy: 'Copy address',
  own: 'Or create your own:',
} as const;
