// Rule AU: which automatic approvals a person looks at again, unseen, so that the line is measured.
import type { Role } from '@countersign/shared/enums';
import { may } from '../access/permissions.ts';

/**
 * AU1: whether an automatically approved item is drawn for an audit. `rate` from 0 to 1 is the share that is; `point`, from 0 to
 * 1, is the hash of the project's salt and the item's id. Asked again, in whatever process, the answer is the same, and whoever
 * is drawn at one rate is drawn at every higher one.
 */
export const isDrawn = (point: number, rate: number): boolean => point < rate;

/** AU3: whether what tells audits apart is kept from a member with this role, in a project that has audits or has none. */
export const isBlind = (role: Role, hasAudits: boolean): boolean => hasAudits && !may(role, 'see_analytics');
