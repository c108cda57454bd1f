// SQL for what an alert is about: the endpoint of a webhook (WH6), or the error budget (AU5).
import { WEBHOOK_ALERT_KINDS } from '@countersign/shared/enums';
import { endpointOf } from './endpoint-columns.ts';
import { inList } from './in-list.ts';

/** The topic of all alerts about the error budget of a project. */
export const BUDGET_TOPIC = 'budget';

/**
 * The topic of the alert with this alias: the ID of its endpoint, or `budget`. The index `webhook_alert_of_topic`
 * has this expression: a change of it needs a migration that builds the index again.
 */
export const topicOf = (alias: string): string =>
  `case when ${alias}.kind in (${inList(WEBHOOK_ALERT_KINDS)}) then ${endpointOf(alias)}::text else '${BUDGET_TOPIC}' end`;
