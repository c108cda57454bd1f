// Imports parts of a page on demand, and handles a failed import.

/** Never rejects: when the import fails, `failed` reverts the request, so that the next press tries again. */
export const lazyImport = <Module>(part: Promise<Module>, failed: () => void): Promise<Module | null> =>
  part.catch(() => {
    failed();
    return null;
  });
