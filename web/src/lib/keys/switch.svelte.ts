// The switch for single-letter keys (WCAG 2.1.4 requires one): small enough for every button to import.
import { isSingle } from './caps.ts';

export const keySwitch = $state({ on: true });

/** Whether the user has switched off the key of a cap. */
export const isOff = (cap: string): boolean => !keySwitch.on && isSingle(cap);
