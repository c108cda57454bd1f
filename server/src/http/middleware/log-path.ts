// The path of a request as logs may have it: an invite's address carries its token, and who reads a log must not get in by it.

/** The path, with the token of an invite left out. */
export const logPath = (path: string): string => path.replace(/^((?:\/api)?\/invites\/)[^/]+/i, '$1…');
