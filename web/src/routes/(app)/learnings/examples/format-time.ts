// When a learning was recorded, as short as it stays clear: the time today, the day and the time before that.

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayClock = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const yearClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An ISO moment beside now (ms), in the reader's zone. */
export function when(iso: string, now: number): string {
  const [at, today] = [new Date(iso), new Date(now)];
  if (at.toDateString() === today.toDateString()) return clock.format(at);
  return (at.getFullYear() === today.getFullYear() ? dayClock : yearClock).format(at);
}
