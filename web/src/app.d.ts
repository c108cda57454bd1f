// Constants that the build inserts.
declare global {
  /** True only in a demo build (DEMO=true when building). */
  const __DEMO__: boolean;
}

export {};
