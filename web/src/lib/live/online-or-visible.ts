// Detects when retrying at once makes sense: the network is back, or the tab is visible again.

/** Calls back on either. Returns the function that stops it. */
export function onOnlineOrVisible(callback: () => void): () => void {
  const onVisible = () => document.visibilityState === 'visible' && callback();
  window.addEventListener('online', callback);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', callback);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
