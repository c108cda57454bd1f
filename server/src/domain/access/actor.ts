// How people, API keys and the system are named in the event log and on screens.
import type { ActorRef } from '@countersign/shared/schemas/parts/events';

/** A wallet address shortened for people: `7xKX…9fQ2`. */
export function shortAddress(address: string): string {
  return address.length <= 9 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** The pool name, or else the short address. */
export function displayName(user: { name: string | null; address: string }): string {
  return user.name ?? shortAddress(user.address);
}

export function memberRef(user: { userId: string; name: string | null; address: string }): ActorRef {
  return { kind: 'member', id: user.userId, name: displayName(user) };
}

export function keyRef(key: { keyId: string; name: string }): ActorRef {
  return { kind: 'api_key', id: key.keyId, name: key.name };
}

export const SYSTEM: ActorRef = { kind: 'system', id: null, name: 'Countersign' };
