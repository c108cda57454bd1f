// Whether a project has audits: it draws some, or has some that nobody has decided for good (AU3).

/** As SQL, for a project called `p`. Of an audit that can still be undone the public status is set (LC2). */
export const HAS_AUDITS = `(p.audit_rate > 0 or exists (select from item a where a.project_id = p.id and a.audit
  and (a.status in ('queued', 'escalated') or a.public_status is not null)))`;
