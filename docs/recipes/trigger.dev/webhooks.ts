// Receives webhooks and completes the waitpoint token of the run that waits for the item. Needs TRIGGER_SECRET_KEY.
import { NotFoundError, wait } from '@trigger.dev/sdk';
import { listen } from './countersign.ts';

/** The SDK puts the ID into an address. Everyone with an API key writes metadata, so no other address may be in it. */
const TOKEN = /^waitpoint_[\w-]+$/;

listen(async (item, { event }) => {
  const token = item.metadata?.trigger_token;
  if (typeof token !== 'string' || !TOKEN.test(token)) return; // another pipeline of the project submitted it
  try {
    // A token that is complete stays as it is.
    await wait.completeToken(token, {});
  } catch (error) {
    if (error instanceof NotFoundError) return console.log(`${event}: there is no token ${token}.`);
    throw error; // the service sends the webhook again later
  }
});
