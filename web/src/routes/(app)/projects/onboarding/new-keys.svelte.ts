// The keys created in this tab, in memory only, because the server never returns their text again.
import { SvelteMap } from 'svelte/reactivity';
import { session } from '#lib/auth/session.svelte.ts';

const texts = new SvelteMap<string, string>();

/** The next user in this tab does not find them. */
const mine = (projectId: string): string => `${session.user?.id ?? ''}.${projectId}`;

/** The text of a key of this project that was created here; null when there is none. */
export const newKeyOf = (projectId: string): string | null => texts.get(mine(projectId)) ?? null;

export const rememberNewKey = (projectId: string, apiKey: string): void => void texts.set(mine(projectId), apiKey);

/** Once onboarding is done or dismissed it is no longer needed. */
export const forgetNewKey = (projectId: string): void => void texts.delete(mine(projectId));
