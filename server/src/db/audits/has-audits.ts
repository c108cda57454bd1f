// Whether a project has audits: it draws some, or something is undecided that arrived while it did (AU3).

/**
 * As SQL, for a project called `p`. That none is drawn any more shows nobody which of what waits was: all that arrived before counts
 * alike, drawn or not. The last part is of projects that ended their audits before this was noted.
 */
export const HAS_AUDITS = `(p.audit_rate > 0 or p.audits_off_version is not null
  or exists (select from item a where a.project_id = p.id and a.audit
    and (a.status in ('queued', 'escalated') or a.public_status is not null)))`;
