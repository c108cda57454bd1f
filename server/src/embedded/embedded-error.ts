// Why the embedded PostgreSQL cannot be started, in sentences that say what to do.

/** Its message is for the person at the terminal. */
export class EmbeddedError extends Error {}
