// The routes of membership offers: method, path, and the types of their schemas.
import type * as schemas from '../schemas/offers.ts';
import type { RouteOf } from './route.ts';

export const listOffers: RouteOf<typeof schemas.listOffers> = { method: 'GET', path: '/api/projects/:id/offers' };
export const revokeOffer: RouteOf<typeof schemas.revokeOffer> = {
  method: 'DELETE',
  path: '/api/projects/:id/offers/:offer_id',
};
export const listOwnOffers: RouteOf<typeof schemas.listOwnOffers> = { method: 'GET', path: '/api/offers' };
export const acceptOffer: RouteOf<typeof schemas.acceptOffer> = { method: 'POST', path: '/api/offers/:id/accept' };
export const declineOffer: RouteOf<typeof schemas.declineOffer> = { method: 'POST', path: '/api/offers/:id/decline' };
export const listRefusedWallets: RouteOf<typeof schemas.listRefusedWallets> = {
  method: 'GET',
  path: '/api/refused-wallets',
};
export const allowWallet: RouteOf<typeof schemas.allowWallet> = {
  method: 'DELETE',
  path: '/api/refused-wallets/:user_id',
};
