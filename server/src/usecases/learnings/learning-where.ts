// The learnings that answer a filter, as SQL over `learning l` and `item i`: one text for the list and for the clusters.
import type { LearningFilter } from '@countersign/shared/filters/learning-filter';

export interface LearningsOf {
  projectId: string;
  filter: LearningFilter;
}

/** `text` stands behind `where`; its parameters are $1 (the project) and those that follow. `joins` says whether it asks of the item. */
export interface Where {
  text: string;
  values: unknown[];
  joins: boolean;
}

/** What each field asks; `at` is where its value stands. */
const FILTERS: Record<keyof LearningFilter, { sql: (at: string) => string; ofItem: boolean }> = {
  action: { sql: (at) => `l.action = ${at}`, ofItem: false },
  since: { sql: (at) => `l.created_at >= ${at}::timestamptz`, ofItem: false },
  flag: { sql: (at) => `${at} = any(i.risk_flags)`, ofItem: true },
  model: { sql: (at) => `i.model = ${at}`, ofItem: true },
  source: { sql: (at) => `i.source = ${at}`, ofItem: true },
  excluded: { sql: (at) => `l.excluded = (${at}::text = 'only')`, ofItem: false },
  text: {
    sql: (at) => `strpos(lower(concat_ws(e'\\n', l.reason, l.note, i.preview)), lower(${at}::text)) > 0`,
    ofItem: true,
  },
};

/** What counts of the learnings that answer: those that are not left out, unless just these were asked for. */
export const countsIn = ({ excluded }: LearningFilter): string =>
  excluded === 'only' ? 'l.excluded' : 'not l.excluded';

/** How a learning meets its item. */
const WITH_ITEM = ' join item i on i.id = l.item_id';

/** The tables that a filter asks. */
export const fromOf = ({ joins }: Pick<Where, 'joins'>): string => `from learning l${joins ? WITH_ITEM : ''}`;

export function whereOf({ projectId, filter }: LearningsOf): Where {
  const values: unknown[] = [projectId];
  const parts = ['l.project_id = $1'];
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
