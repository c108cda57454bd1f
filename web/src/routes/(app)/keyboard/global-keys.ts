// The commands of every page behind the sign-in: help, the palette, and navigation between pages.
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { listenToKeys, keyboard } from '#lib/keys/key-listener.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
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

/** Listens for them; returns the function that stops it. */
export const registerGlobalKeys = (): (() => void) =>
  listenToKeys({
    situation: () => ({ scopes: ['anywhere'], pending: false, actionsEnabled: true }),
    // The go key only waits for another key, so it is not offered by name.
    can: (command) => command !== 'go' && COMMANDS[command] !== undefined,
    run: (command) => {
      const act = COMMANDS[command];
      if (act === undefined) return false;
      act();
      return true;
    },
  });
