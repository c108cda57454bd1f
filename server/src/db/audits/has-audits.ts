// SQL for whether a project has audits: it samples some, or an item is undecided that arrived while it did (AU3).

/**
 * SQL for a project with the alias `p`. When audits are turned off, it must not show which waiting items were sampled:
 * all items that arrived before count alike. The last part covers projects that turned audits off before this was
 * recorded.
 */
export const HAS_AUDITS = `(p.audit_rate > 0 or p.audits_off_version is not null
  or exists (select from item a where a.project_id = p.id and a.audit
    and (a.status in ('queued', 'escalated') or a.public_status is not null)))`;
