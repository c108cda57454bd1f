// The texts of keys made in this tab, in memory alone: the server never says one again, and the first steps need it a while longer.
import { SvelteMap } from 'svelte/reactivity';
import { session } from '#lib/auth/session.svelte.ts';

const texts = new SvelteMap<string, string>();

/** Whoever signs in next in this tab does not find them. */
const mine = (projectId: string): string => `${session.user?.id ?? ''}.${projectId}`;

/** The text of a key of this project that was made here; null when there is none. */
export const newKeyOf = (projectId: string): string | null => texts.get(mine(projectId)) ?? null;

export const rememberNewKey = (projectId: string, apiKey: string): void => void texts.set(mine(projectId), apiKey);

/** Once the first steps are done or put away there is no reason to keep it. */
export const forgetNewKey = (projectId: string): void => void texts.delete(mine(projectId));
