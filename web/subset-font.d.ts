// The types of subset-font, as far as the build uses it: those of DefinitelyTyped lack `keepFeatures`.
declare module 'subset-font' {
  interface Options {
    targetFormat: 'woff2';
    /** The OpenType features that stay. */
    keepFeatures: string[];
    variationAxes: Record<string, { min: number; max: number }>;
    /** Entries of the name table that stay besides the names of the font. */
    preserveNameIds: number[];
  }
  /** The font with the glyphs of this text alone. */
  const subsetFont: (font: Uint8Array, text: string, options: Options) => Promise<Uint8Array>;
  export = subsetFont;
}
