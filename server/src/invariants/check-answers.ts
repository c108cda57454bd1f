// Checks the stored decisions against what their submissions ask of an answer: TS2, TS5, TC2, LC7 and LC8.
import type { Json } from '@countersign/shared/json/json';
import type { DecisionAction, DecisionStatus, ItemKind } from '@countersign/shared/enums';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate } from '@countersign/shared/json-schema/evaluate';
import { exactJson } from '@countersign/shared/json-schema/exact-numbers';
import { DEFAULT_ACTIONS, isAllowed, type SubmitterAction } from '@countersign/shared/review-actions';
import { rawQuery } from '../db/raw-query.ts';
import { editFaults, schemaSubject } from '../domain/items/tool-call.ts';
import { byPages, type Check, type Fault } from './check.ts';

/** With the largest items about 25 MB. */
const PAGE = 50;

/** Redacted items have no content to check. */
const DECISIONS = `
  select d.id, d.item_id, d.project_id, d.status, d.action, d.output, d.response, d.audit, i.kind, i.suggestion, i.has_suggestion,
    array_to_json(i.allowed_actions)::text as allowed, s.text as schema
  from decision d join item i on i.id = d.item_id and i.emptied_at is null
  join project p on p.id = d.project_id and p.deleted_at is null
  left join answer_schema s on s.project_id = i.project_id and s.digest = i.answer_schema
  where d.id > $1 order by d.id limit ${PAGE}`;

interface Row {
  id: string;
  item_id: string;
  project_id: string;
  status: DecisionStatus;
  action: DecisionAction;
  output: string | null;
  response: string | null;
  audit: boolean;
  kind: ItemKind;
  suggestion: string;
  has_suggestion: boolean;
  /** JSON text; null where the default applies. */
  allowed: string | null;
  /** The text of its schema; null without one. */
  schema: string | null;
}

export const checkAnswers: Check = {
  of: 'answers',
  rules: ['TS2', 'TS5', 'TC2', 'LC7', 'LC8'],
  run: (read, report, onProgress) =>
    byPages(
      (after) => read((em) => rawQuery<Row>(em, DECISIONS, [after])),
      (row) => faultsOf(row).forEach(report),
      onProgress,
    ),
};

function faultsOf(row: Row): Fault[] {
  const { id, item_id, project_id, action } = row;
  const broken: Record<string, boolean> = {
    TS2: !satisfiesSchema(row),
    TS5: !row.has_suggestion && (action === 'approve' || action === 'auto_approve'),
    TC2: !isSameTool(row),
    LC7: !isAllowed(action === 'auto_approve' ? 'approve' : action, allowedOf(row)),
    LC8: !isResponse(row),
  };
  const place = `decision ${id} (${action}) on item ${item_id} of project ${project_id}`;
  return Object.entries(broken).flatMap(([rule, isBroken]) =>
    isBroken ? { rule, says: `${place}: ${SAYS[rule]}` } : [],
  );
}

const SAYS: Readonly<Record<string, string>> = {
  TS2: 'its output does not satisfy the schema of the item',
  TS5: 'it approves a suggestion that is null',
  TC2: 'its output is no call of the suggested tool',
  LC7: 'the submission does not allow its action',
  LC8: 'a response has words, no output and the status rejected, and nothing else has words',
};

const allowedOf = ({ allowed }: Row): readonly SubmitterAction[] =>
  allowed === null ? DEFAULT_ACTIONS : (JSON.parse(allowed) as SubmitterAction[]);

/** A stored schema that this version refuses cannot be checked. */
function satisfiesSchema({ schema, output, kind }: Row): boolean {
  if (schema === null || output === null) return true;
  const compiled = compileSchema(schema);
  if (!compiled.ok) return true;
  return validate(compiled.schema, schemaSubject(kind, exactJson(output))).length === 0;
}

const isSameTool = ({ kind, output, suggestion }: Row): boolean =>
  kind !== 'tool_call' ||
  output === null ||
  editFaults(JSON.parse(output), JSON.parse(suggestion) as Json).length === 0;

function isResponse({ action, response, output, status }: Row): boolean {
  if (action !== 'respond') return response === null;
  return response !== null && output === null && status === 'rejected';
}
