// The rules for roles on the pool page; the permitted actions come with each member, as their abilities.
import { ROLES, type Role } from '@countersign/shared/enums';

/** Whether `to` is below `from`: a demotion is confirmed first. */
export const isLower = (from: Role, to: Role): boolean => ROLES.indexOf(to) < ROLES.indexOf(from);
