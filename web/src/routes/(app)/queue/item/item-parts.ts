// What only an open item needs, loaded together: engine, commands, pane, failures and announcements.
export { announceClaim } from '../announcements/announce-claim.svelte.ts';
export { HeldPresses } from '../commands/held-presses.ts';
export { itemCommandsOf } from '../commands/item-commands.ts';
export { ReviewEngine } from '../session/review-engine.ts';
export { default as CommandFailure } from './CommandFailure.svelte';
export { default as ItemPane } from './ItemPane.svelte';
