// The errors of the adapter.

/** The run waits for something else than the review of tool calls, or for a call that no person could judge. */
export class UnknownInterruptError extends TypeError {
  override readonly name = 'UnknownInterruptError';
}

/**
 * The reviewed calls of this stored run were handed to the agent: they may have run. Going on with it could run them twice.
 * Look whether they ran, and start the agent from the beginning if they did not.
 */
export class AlreadyReleasedError extends Error {
  override readonly name = 'AlreadyReleasedError';
}
