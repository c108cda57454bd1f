// Learning filters as SQL over `learning l` and `item i`, shared by the list and the clusters.
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';

export interface LearningsOf {
  projectId: string;
  filter: LearningFilter;
}

/** `text` follows `where`; its parameters are $1 (the project) and those after it. `joins` says whether it uses the item. */
export interface Where {
  text: string;
  values: unknown[];
  joins: boolean;
}

/** The condition of each field; `at` is the parameter of its value. */
const FILTERS: Record<keyof LearningFilter, { sql: (at: string) => string; ofItem: boolean }> = {
  action: { sql: (at) => `l.action = ${at}`, ofItem: false },
  since: { sql: (at) => `l.created_at >= ${at}::timestamptz`, ofItem: false },
  flag: { sql: (at) => `${at} = any(i.risk_flags)`, ofItem: true },
  model: { sql: (at) => `i.model = ${at}`, ofItem: true },
  source: { sql: (at) => `i.source = ${at}`, ofItem: true },
  excluded: { sql: (at) => `l.excluded = (${at}::text = 'only')`, ofItem: false },
  text: {
    sql: (at) =>
      `strpos(lower(concat_ws(e'\\n', l.reason, l.note, l.response, i.title, i.preview)), lower(${at}::text)) > 0`,
    ofItem: true,
  },
};

/** Which matching learnings count: those that are not excluded, unless only excluded ones were requested. */
export const countsIn = ({ excluded }: LearningFilter): string =>
  excluded === 'only' ? 'l.excluded' : 'not l.excluded';

/** The join of a learning with its item. */
const WITH_ITEM = ' join item i on i.id = l.item_id';

/** The tables that a filter needs. */
export const fromOf = ({ joins }: Pick<Where, 'joins'>): string => `from learning l${joins ? WITH_ITEM : ''}`;

/** A learning whose decision was revised is not among them (RV5). */
export function whereOf({ projectId, filter }: LearningsOf): Where {
  const values: unknown[] = [projectId];
  const parts = ['l.project_id = $1', 'not l.superseded'];
  let joins = false;
  for (const [name, { sql, ofItem }] of Object.entries(FILTERS)) {
    const value = filter[name as keyof LearningFilter];
    if (value === undefined) continue;
    values.push(value);
    parts.push(sql(`$${values.length}`));
    joins ||= ofItem;
  }
  return { text: parts.join(' and '), values, joins };
}
