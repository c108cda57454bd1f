// What may stand in and below the top bar of any page; fetched when the page has come to rest.
export { default as BelowBar } from './BelowBar.svelte';
export { default as OffersLink } from '../offers/OffersLink.svelte';
export { ownOffers } from '../offers/own-offers.svelte.ts';
export { default as TopBarAlerts } from '../alerts/TopBarAlerts.svelte';
