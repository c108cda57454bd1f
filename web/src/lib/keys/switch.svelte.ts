// The switch for single-letter keys (WCAG 2.1.4 wants one): small enough for every button to know it.
import { isSingle } from './caps.ts';

export const keySwitch = $state({ on: true });

/** Whether the reader has switched off what a cap shows. */
export const isOff = (cap: string): boolean => !keySwitch.on && isSingle(cap);
