// SQL for the endpoints of deliveries, and for what an endpoint takes from the settings of its project (WH12).

/**
 * The ID of the endpoint of a row with this alias. The endpoint of the settings has that of the project: its rows name no
 * endpoint. As in the indexes `delivery_due_of_endpoint`, `delivery_attempted`, `delivery_dead` and `delivery_of_event`.
 */
export const endpointOf = (alias: string): string => `coalesce(${alias}.endpoint_id, ${alias}.project_id)`;

/** The URL of the endpoint `e` of the project `p`; null where there is none. */
export const URL_OF_ENDPOINT = 'coalesce(e.url, p.webhook_url)';

/** The endpoint `e` of the project `p` gets deliveries. */
export const GETS_DELIVERIES = `e.is_enabled and ${URL_OF_ENDPOINT} is not null`;

/**
 * The event of this alias happened after the endpoint `e` was added (WH12), by the order of the log: the clocks of two processes
 * differ. The endpoint of the settings gets what is sequenced from now on (WE1).
 */
export const isAfterStart = (event: string): string => `${event}.position > coalesce(e.after_position, 0)`;

/** What a row stores for an endpoint: nothing for that of the settings. */
export const storedEndpoint = ({ projectId, endpointId }: { projectId: string; endpointId: string }): string | null =>
  endpointId === projectId ? null : endpointId;
