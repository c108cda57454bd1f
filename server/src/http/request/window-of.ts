// Parses the time window of a query.

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

/** `from` and `to` as dates; undefined where the query has none. */
export const windowOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }) => ({
  from: timeOf(from),
  to: timeOf(to),
});
