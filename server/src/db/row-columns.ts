// The columns of an item that its row needs (`toItemRow`).

/** A row needs no payload: reading megabytes for a list, or for the events of many items, would be slow. */
export const ROW_COLUMNS = `id, project_id, status, preview, title, kind, allowed_actions, has_suggestion,
  case when suggestion_faults is not null then '' end as suggestion_faults, confidence, risk_flags, model, source, created_at, due_at,
  deadline, on_deadline, deadline_span, deadline_extended, deadline_extension, reserved_for, reserved_until, version`;
