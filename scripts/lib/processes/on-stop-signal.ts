// Handles Ctrl+C and stop signals: the first asks a program to end, a second one a moment later ends it at once.

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm repeats a Ctrl+C that its script has already received from the terminal: the repeat is not a second request. */
const ECHO_MS = 500;

/** Calls `stop` once, on the first signal; ends the process with 130 at the second. */
export function onStopSignal(stop: () => void): void {
  let askedAt: number | undefined;
  const onSignal = (): void => {
    const now = performance.now();
    if (askedAt === undefined) {
      askedAt = now;
      stop();
    } else if (now - askedAt > ECHO_MS) {
      process.exit(130);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
}
