// Rule AU: which automatic approvals are audited, so that the error above the auto-approve threshold is measured.
import type { Role } from '@countersign/shared/enums';
import { may } from '../access/permissions.ts';

/**
 * AU1: whether an auto-approved item is drawn for an audit. `rate`, from 0 to 1, is the share that is drawn; `point`, from 0 to
 * 1, is the hash of the project's salt and the item's id. The result is the same in every process, and an item that is drawn at
 * one rate is drawn at every higher one.
 */
export const isDrawn = (point: number, rate: number): boolean => point < rate;

/** AU3: whether a member with this role must not see what identifies audits, in a project with or without audits. */
export const isBlind = (role: Role, hasAudits: boolean): boolean => hasAudits && !may(role, 'see_analytics');
