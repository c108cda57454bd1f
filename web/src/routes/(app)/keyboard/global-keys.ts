// The commands of every page behind the sign-in: help, the palette, and the ways from page to page.
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { listenToKeys, type Command } from '#lib/keyboard.ts';
import { keyboard } from '#lib/keys/key-listener.svelte.ts';
import { panels } from '#lib/keys/panels.svelte.ts';

const COMMANDS: Partial<Record<Command, () => unknown>> = {
  help: () => (panels.help = true),
  palette: () => (panels.palette = true),
  go: () => keyboard.go(),
  goQueue: () => goto(resolve('/(app)/queue')),
  goProjects: () => goto(resolve('/(app)/projects')),
  goAnalytics: () => goto(resolve('/(app)/analytics')),
  goLearnings: () => goto(resolve('/(app)/learnings')),
};

/** Listens for them; answers the function that stops it. */
export const registerGlobalKeys = (): (() => void) =>
  listenToKeys({
    situation: () => ({ scopes: ['anywhere'], pending: false, actionsEnabled: true }),
    // By name nobody asks for the key that only waits for another one.
    can: (command) => command !== 'go' && COMMANDS[command] !== undefined,
    run: (command) => {
      const act = COMMANDS[command];
      if (act === undefined) return false;
      act();
      return true;
    },
  });
