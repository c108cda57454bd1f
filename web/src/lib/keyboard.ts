// The door to the keyboard: what pages and their parts use of it. The pieces are in keys/.
export type { Command, KeyScope } from './keys/command.ts';
export { keyOf, liveKeyOf, titleOf } from './keys/key-settings.svelte.ts';
export { listenToKeys, onCommands } from './keys/key-listener.svelte.ts';
