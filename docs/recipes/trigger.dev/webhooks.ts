// Receives webhooks and completes the waitpoint token of the run that waits for the item. Needs TRIGGER_SECRET_KEY.
import { NotFoundError, wait } from '@trigger.dev/sdk';
import { listen } from './countersign.ts';

listen(async (item, { event }) => {
  const token = item.metadata?.trigger_token;
  if (typeof token !== 'string') return; // another pipeline of the project submitted it
  try {
    // A token that is complete stays as it is.
    await wait.completeToken(token, {});
  } catch (error) {
    if (error instanceof NotFoundError) return console.log(`${event}: there is no token ${token}.`);
    throw error; // the service sends the webhook again later
  }
});
