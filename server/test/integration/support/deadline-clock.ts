// Sets the clock by which deadlines pass, which only the database reads (DL4).
import type { ServicesEnvironment } from './test-services.ts';

/** From now on that clock is this many seconds ahead of the true time; negative: behind it. */
export async function setDeadlineClock({ sql }: Pick<ServicesEnvironment, 'sql'>, secondsAhead: number): Promise<void> {
  const body = `select clock_timestamp() + make_interval(secs => ${secondsAhead})`;
  await sql(
    `create or replace function deadline_clock() returns timestamptz language sql stable as $body$${body}$body$`,
  );
}
