// Detects the present part of a long page: the last one whose top has passed under the head of the page.

const HEAD_PX = 120;

/** Reports the anchor of the present part, now and on scrolling; returns the function that stops it. */
export function watchCurrentSection(ids: readonly string[], onChange: (id: string) => void): () => void {
  let frame = 0;
  const look = () => {
    frame = 0;
    const passed = ids.filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < HEAD_PX);
    const id = passed.at(-1) ?? ids[0];
    if (id !== undefined) onChange(id);
  };
  const soon = () => {
    if (frame === 0) frame = requestAnimationFrame(look);
  };
  look();
  addEventListener('scroll', soon, { passive: true });
  return () => {
    cancelAnimationFrame(frame);
    removeEventListener('scroll', soon);
  };
}
