// The plan of a query, after it ran on the test's database: which nodes it has, and how many rows they visited.
import { rawQuery } from '../../../src/db/raw-query.ts';
import type { ServicesEnvironment } from './test-services.ts';

/** A node of a query plan. */
export interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** The plan of a statement with `$1` parameters, which it runs. */
export async function planOf(
  { services }: Pick<ServicesEnvironment, 'services'>,
  text: string,
  values: unknown[],
): Promise<Plan> {
  const [row] = await services.db.read((em) =>
    rawQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(em, `explain (analyze, format json) ${text}`, values),
  );
  if (row === undefined) throw new Error('There is a plan.');
  return row['QUERY PLAN'][0].Plan;
}

/** The node and all below it. */
export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The rows that the node visited, over all loops. */
export const rowsVisited = (node: Plan): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
