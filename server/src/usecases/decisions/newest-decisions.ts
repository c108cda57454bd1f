// SQL for the newest decisions of people in a window, each with its item: the sample for confidence and thresholds.
import { SAMPLE_SIZE } from '@countersign/shared/limits';
import { RETAINED_SINCE } from '../../db/retention/retained-since.ts';

/** RV7: the action of `decision f`, the first on its item, or that of the revision which replaced it. */
export const NEWEST_ACTION = `case when f.superseded_at is null then f.action
  else (select n.action from decision n where n.item_id = f.item_id and n.superseded_at is null) end`;

/**
 * Rows of `columns`, which name those of the decision as `d` and of its item as `i`; of the project $1, decided from $2 until $3,
 * and at a time of which every item still exists (KE5). Items are found one at a time by their key: a plain join would read the
 * whole table once it is large, and the limit prevents that.
 */
export const newestDecisions = (columns: string): string => `
  select ${columns}
  from (select item_id, decided_at, f.action as first_action, ${NEWEST_ACTION} as action
      from decision f where project_id = $1 and reviewer_id is not null and revision = 1 and decided_at >= $2 and decided_at < $3
        and decided_at > ${RETAINED_SINCE}
      order by decided_at desc limit ${SAMPLE_SIZE}) d
    cross join lateral (select id, created_at, confidence, risk_flags, rule, settings_version, suggestion_faults, was_invalid,
        has_suggestion, allowed_actions
      from item where id = d.item_id limit 1) i`;
