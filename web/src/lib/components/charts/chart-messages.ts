// Texts of the plots themselves; questions and answers belong to the page that shows them.

export const chartMessages = {
  showTable: (question: string) => `Show as a table: ${question}`,
  showPlot: (question: string) => `Show the plot again: ${question}`,
  figures: (question: string) => `The figures: ${question}`,
  save: (question: string) => `Download as CSV: ${question}`,
  counts: (k: string, n: string) => `${k} of ${n}`,
  few: (n: string, limit: string) => `n ${n} < ${limit}`,
};
