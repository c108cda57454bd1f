// Why the embedded PostgreSQL cannot be started, in sentences that say what to do.

/** Its message is for the person at the terminal. */
export class EmbeddedError extends Error {}

/** What the file system says of `folder` (no such right, no space, not a folder), as an `EmbeddedError`; any other error as it is. */
export function explainFault(error: unknown, folder: string): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error)) return error;
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new EmbeddedError(
    `The embedded database cannot use ${folder} (${error.message}): make it a folder with free space that this user can write to, or choose another DATA_DIR.`,
  );
}
