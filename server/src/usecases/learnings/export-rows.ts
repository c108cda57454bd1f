// Reads the learnings of an export in event log order, in batches, so that memory use does not grow with their number.
import type { ExportFilter } from '@countersign/shared/schemas/exports';
import type { ItemKind } from '@countersign/shared/enums';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { fitting, textBytes } from '../cursor.ts';
import { diffOf } from './json-diff.ts';
import { type Exported, needsCorrection } from '../../domain/learnings/export-lines.ts';
import { OVERRIDE_ACTIONS, type OverrideAction } from '@countersign/shared/review-actions';
import { inList } from '../../db/in-list.ts';

/** The maximum batch when learnings are not large: a batch stays in memory while a slow client reads it (MB3). */
const BATCH_SIZE = 50;

interface Row {
  seq: string;
  id: string;
  item_id: string;
  action: OverrideAction;
  input: string;
  suggestion: string;
  output: string | null;
  reason: string;
  note: string | null;
  response: string | null;
  title: string | null;
  kind: ItemKind;
  has_suggestion: boolean;
  arguments_schema: string | null;
  confidence: number;
  risk_flags: string[];
  model: string | null;
  source: string | null;
  reviewer_id: string;
  address: string;
  settings_version: number;
  guidelines_version: number | null;
  created_at: string | Date;
}

/**
 * $1: the project; $2, $3: after and up to these positions. Only final decisions count, by the
 * position of their last event in the event log: nothing is inserted or removed in between later
 * (LX2). Excluded are the learnings that were excluded at that position (LX5), or whose
 * decision was revised by then (RV5).
 */
const OVERRIDES = `
  from event e join learning l on l.item_id = e.item_id and l.revision = coalesce((e.data ->> 'revision')::int, 1)
    join item i on i.id = e.item_id join app_user u on u.id = l.reviewer_id
  where e.project_id = $1 and e.seq > $2 and e.seq <= $3
    and e.type in ('item.finalized', 'decision.revised') and e.data ->> 'action' in (${inList(OVERRIDE_ACTIONS)})
    and ($4::text is null or l.action = $4) and ($5::text is null or l.reason = $5)
    and ($6::text is null or $6 = any(i.risk_flags)) and ($7::text is null or i.model = $7) and ($8::text is null or i.source = $8)
    and ($9::jsonb is null or l.reason in (select jsonb_array_elements_text($9::jsonb)))
    and not (l.superseded and exists (select from event r
      where r.item_id = e.item_id and r.type = 'decision.revised' and r.seq > e.seq and r.seq <= $3))
    and not coalesce((select (x.data -> 'learning' ->> 'excluded')::boolean from event x
      where x.type = 'project.changed' and x.data -> 'learning' is not null and x.data -> 'learning' ->> 'id' = l.id::text and x.seq <= $3
      order by x.seq desc limit 1), false)`;

/** The text of the schema of a tool call. */
const ARGUMENTS_SCHEMA = `case when i.kind = 'tool_call' then (select s.text from answer_schema s
  where s.project_id = i.project_id and s.digest = i.answer_schema) end`;

const ROWS = `
  select e.seq, l.id, l.item_id, l.action, i.input, i.suggestion, l.output, l.reason, l.note, l.response,
    i.title, i.kind, i.has_suggestion, ${ARGUMENTS_SCHEMA} as arguments_schema, i.confidence, i.risk_flags, i.model,
    i.source, l.reviewer_id, u.address, l.settings_version, l.guidelines_version, l.created_at ${OVERRIDES}
  order by e.seq limit $10`;

export interface Span {
  projectId: string;
  filter: ExportFilter;
  /** The reasons of the requested cluster at the start (LX6); null without a cluster. */
  reasons: readonly string[] | null;
  /** Positions in the event log: above `after`, up to and including `through`. */
  after: number;
  through: number;
}

const valuesOf = ({ projectId, filter, reasons, after, through }: Span) => {
  const { format, action, reason, flag, model, source } = filter;
  // Learnings without a line are not read (LX1). A format that needs a correction has lines for edits alone.
  const only = needsCorrection(format) ? ((action ?? 'edit') === 'edit' ? 'edit' : 'none') : (action ?? null);
  const among = reasons && JSON.stringify(reasons);
  return [projectId, after, through, only, reason ?? null, flag ?? null, model ?? null, source ?? null, among];
};

const BYTES = `
  select octet_length(i.input) + octet_length(i.suggestion) + 2 * coalesce(octet_length(l.output), 0)
    + ${textBytes('l.response')} + coalesce(octet_length(${ARGUMENTS_SCHEMA}), 0) as bytes ${OVERRIDES}
  order by e.seq limit $10`;

/** The next batch; empty at the end. `at` is the start of the one after it. */
export async function readExportBatch(em: Em, span: Span): Promise<{ learnings: Exported[]; at: number }> {
  const bytes = await rawQuery<{ bytes: number }>(em, BYTES, [...valuesOf(span), BATCH_SIZE]);
  const rows = await rawQuery<Row>(em, ROWS, [...valuesOf(span), fitting(bytes, BATCH_SIZE)]);
  return {
    learnings: rows.map((row) => toExported(row, span.filter.format)),
    at: Number(rows.at(-1)?.seq ?? span.through),
  };
}

const NTH = `select e.seq ${OVERRIDES} order by e.seq offset $10 limit 1`;

/** The position of the `n`th matching learning, from 1; the end of the span when there are fewer. */
export async function positionOf(em: Em, span: Span, n: number): Promise<number> {
  const [row] = await rawQuery<{ seq: string }>(em, NTH, [...valuesOf(span), n - 1]);
  return Number(row?.seq ?? span.through);
}

/** How many learnings match, on both sides of a split. */
export async function countExported(em: Em, span: Span): Promise<number> {
  const rows = await rawQuery<{ n: string | number }>(em, `select count(*) as n ${OVERRIDES}`, valuesOf(span));
  return Number(rows[0]?.n ?? 0);
}

/** Only raw lines contain the patch, so it is computed for them alone. */
const toExported = (row: Row, format: ExportFilter['format']): Exported => ({
  id: row.id,
  itemId: row.item_id,
  action: row.action,
  title: row.title,
  kind: row.kind,
  hasSuggestion: row.has_suggestion,
  argumentsSchema: row.arguments_schema,
  input: row.input,
  suggestion: row.suggestion,
  output: row.output,
  diff: row.output === null || !row.has_suggestion || format !== 'raw' ? null : diffOf(row.suggestion, row.output),
  reason: row.reason,
  note: row.note,
  response: row.response,
  confidence: row.confidence,
  riskFlags: row.risk_flags,
  model: row.model,
  source: row.source,
  reviewer: { id: row.reviewer_id, address: row.address },
  settingsVersion: row.settings_version,
  guidelinesVersion: row.guidelines_version,
  decidedAt: new Date(row.created_at),
});
