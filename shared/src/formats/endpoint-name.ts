// Names a webhook endpoint on pages and in the change log: by its description, otherwise by the host of its URL.

/** Null for an endpoint without URL and description. */
export function endpointName({ description, url }: { description: string; url: string | null }): string | null {
  if (description !== '') return description;
  return url === null ? null : (URL.parse(url)?.host ?? url);
}
