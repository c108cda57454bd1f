// The path of a request for the log: the path of an invite contains its token, which a log reader must not be able to
// use.

/** The path without the token of an invite. */
export const logPath = (path: string): string => path.replace(/^((?:\/api)?\/invites\/)[^/]+/i, '$1…');
