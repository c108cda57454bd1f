// The address of a page of one project: what is shown is in it, so that it can be shared and Back works.

/** The query of an address with one member set and the others as they were: `?project=…&range=week`. */
export function withQuery(search: string, name: 'project' | 'range', value: string): `?${string}` {
  const query = new URLSearchParams(search);
  query.set(name, value);
  return `?${query}`;
}
