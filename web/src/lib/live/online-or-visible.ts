// When not to wait for the next turn: the network is back, or somebody looks at this tab again.

/** Hears of either. Answers the function that stops it. */
export function onOnlineOrVisible(callback: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && callback();
  window.addEventListener('online', callback);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', callback);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
