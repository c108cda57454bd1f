// What the pool's page knows of roles; what may be done to a member comes with them, as their abilities.
import { ROLES, type Role } from '@countersign/shared/enums';

/** Is `to` below `from`? Taking a role down is asked about first. */
export const isLower = (from: Role, to: Role): boolean => ROLES.indexOf(to) < ROLES.indexOf(from);
