// Remembers in this browser that a new webhook secret is being rolled in, so that a reload still offers to finish it.

const keyOf = (projectId: string): string => `countersign.rolling.${projectId}`;

/** When the new secret will sign first by itself (ISO); null when none is being rolled in, as far as this browser knows. `now` in ms. */
export function rollingUntil(projectId: string, now: number): string | null {
  try {
    const until = localStorage.getItem(keyOf(projectId));
    return until !== null && Date.parse(until) > now ? until : null;
  } catch {
    return null;
  }
}

/** Keeps or forgets it. */
export function rememberRolling(projectId: string, until: string | null): void {
  try {
    if (until === null) localStorage.removeItem(keyOf(projectId));
    else localStorage.setItem(keyOf(projectId), until);
  } catch {
    // Without storage the server still refuses a second rotation and names the first.
  }
}
