// Whether a row of the delivery log matches a filter. The database applies the same filter in SQL.
import type { DeliveryStatus } from '../enums.ts';
import { statusRange } from '../formats/delivery-terms.ts';
import type { DeliveryFilter } from '../schemas/parts/delivery-filter.ts';

interface Filtered {
  status: DeliveryStatus;
  http_status: number | null;
  error: string | null;
  webhook_id: string;
  endpoint: { id: string };
  item_id: string;
}

/** Whether a row matches the filter. */
export function answersDelivery({ status, code, event, endpoint, item }: DeliveryFilter, row: Filtered): boolean {
  return (
    (status === undefined || (status === 'failed' ? row.error !== null : row.status === status)) &&
    (code === undefined || hasCode(row, code)) &&
    (event === undefined || row.webhook_id === event) &&
    (endpoint === undefined || row.endpoint.id === endpoint) &&
    (item === undefined || row.item_id === item)
  );
}

function hasCode({ http_status, error }: Filtered, code: string): boolean {
  const range = statusRange(code);
  if (range === null) return http_status === null && error !== null;
  return http_status !== null && http_status >= range[0] && http_status <= range[1];
}
