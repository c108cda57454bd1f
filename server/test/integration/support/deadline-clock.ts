// Sets the clock by which deadlines pass and stored data expires, which only the database reads (DL4, KE1).
import type { Services } from '../../../src/usecases/services.ts';
import type { ServicesEnvironment } from './test-services.ts';

/** From now on that clock is this many seconds ahead of the true time; negative: behind it. */
export async function setDeadlineClock({ sql }: Pick<ServicesEnvironment, 'sql'>, secondsAhead: number): Promise<void> {
  const body = `select clock_timestamp() + make_interval(secs => ${secondsAhead})`;
  await sql(
    `create or replace function deadline_clock() returns timestamptz language sql stable as $body$${body}$body$`,
  );
}

/** The services of a process whose clock is this many milliseconds off. */
export const withClockOff = ({ services }: Pick<ServicesEnvironment, 'services'>, ms: number): Services => ({
  ...services,
  clock: { now: () => new Date(services.clock.now().getTime() + ms) },
});

/** Moves the clock of the service, and sets that of the database to the same time. */
export async function passTime(testEnv: Pick<ServicesEnvironment, 'sql' | 'clock'>, ms: number): Promise<void> {
  testEnv.clock.pass(ms);
  await setDeadlineClock(testEnv, (testEnv.clock.now().getTime() - Date.now()) / 1000);
}
