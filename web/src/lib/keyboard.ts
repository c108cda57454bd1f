// The public interface of the keyboard for pages and components. The implementation is in keys/.
export type { Command, KeyScope } from './keys/command.ts';
export { keyOf, liveKeyOf, titleOf } from './keys/key-settings.svelte.ts';
export { listenToKeys, onCommands } from './keys/key-listener.svelte.ts';
