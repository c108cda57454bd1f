// The notices in and below the top bar of any page; loaded when the page is idle.
export { default as BelowBar } from './BelowBar.svelte';
export { default as TopBarLinks } from './TopBarLinks.svelte';
export { ownOffers } from '../offers/own-offers.svelte.ts';
export { default as AlertStrip } from '../alerts/AlertStrip.svelte';
