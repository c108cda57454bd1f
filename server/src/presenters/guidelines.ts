// Presents guidelines in the wire format.
import type { Guidelines, GuidelinesNews, GuidelinesVersion } from '@countersign/shared/api/guidelines';
import { displayName } from '../domain/access/actor.ts';

interface VersionRow {
  version: number;
  text: string;
  changed_at: string | Date;
  changed_by: string | null;
  name: string | null;
  address: string | null;
}

interface GuidelinesRow extends VersionRow {
  seen_version: number;
  seen_text: string | null;
}

export function presentGuidelinesVersion(row: VersionRow): GuidelinesVersion {
  const { version, text, changed_at, changed_by, name, address } = row;
  const author = changed_by !== null &&
    address !== null && { user_id: changed_by, name: displayName({ name, address }) };
  return { version, text, changed_at: new Date(changed_at).toISOString(), changed_by: author || null };
}

export function presentGuidelines(row: GuidelinesRow): Guidelines {
  return { ...presentGuidelinesVersion(row), seen_version: row.seen_version, seen_text: row.seen_text };
}

export function presentGuidelinesNews(
  row: GuidelinesRow & { project_id: string; project_name: string; seen_text: string },
): GuidelinesNews {
  const { project_id, project_name, seen_text } = row;
  return { ...presentGuidelines(row), project_id, project_name, seen_text };
}
