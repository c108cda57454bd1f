// The error of a failed start of the embedded PostgreSQL, with a message that says what to do.

/** Its message is for the person at the terminal. */
export class EmbeddedError extends Error {}

/**
 * A file system error about `folder` (no permission, no space, not a folder) as an `EmbeddedError`; any other error
 * unchanged.
 */
export function explainFault(error: unknown, folder: string): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error)) return error;
  const { syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new EmbeddedError(
    `The embedded database cannot use ${folder} (${error.message}): make it a folder with free space that this user can write to, or choose another DATA_DIR.`,
  );
}
