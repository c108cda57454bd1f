// Makes the rest of the page inert while one part of it fills the screen.

/** An attachment: makes everything outside `node` inert as long as it is mounted, except the live regions. */
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
