// The path of a request for the log, without the token of an invite, which a log reader must not get.

/** The path without the token of an invite. */
export const logPath = (path: string): string => path.replace(/^((?:\/api)?\/invites\/)[^/]+/i, '$1…');
