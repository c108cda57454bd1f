// Parts of a page that are fetched when they are asked for, and what happens where they cannot be.

/** Never fails: where the part cannot be fetched it does not come, and `failed` takes back what asked for it, so that the next press tries again. */
export const lazyImport = <Module>(part: Promise<Module>, failed: () => void): Promise<Module | null> =>
  part.catch(() => {
    failed();
    return null;
  });
