// While one part of the page fills the screen, the rest of it takes no focus and is not read out.

/** An attachment: makes everything outside `node` inert for as long as it is there, but for what announces changes. */
export function inertOutside(node: HTMLElement): () => void {
  const madeInert: Element[] = [];
  for (let at: Element | null = node; at !== null && at !== document.body; at = at.parentElement) {
    for (const sibling of at.parentElement?.children ?? []) {
      if (sibling === at || sibling.hasAttribute('inert') || sibling.matches('[aria-live], :has([aria-live])'))
        continue;
      sibling.toggleAttribute('inert', true);
      madeInert.push(sibling);
    }
  }
  return () => {
    for (const element of madeInert) element.removeAttribute('inert');
  };
}
