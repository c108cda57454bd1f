// When not to wait for the next turn: the network is back, or somebody looks at this tab again.

/** Hears of either. Answers the function that stops it. */
export function hurry(again: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && again();
  window.addEventListener('online', again);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', again);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
