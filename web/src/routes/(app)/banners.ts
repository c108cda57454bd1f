// What may stand in and below the top bar of any page; fetched when the page has come to rest.
export { default as BelowBar } from './BelowBar.svelte';
export { default as OffersLink } from './OffersLink.svelte';
export { ownOffers } from './own-offers.svelte.ts';
export { default as TopBarAlerts } from './TopBarAlerts.svelte';
