// The configuration of a client: from its options, or from the environment where there is one.

/** Where the service is, and who asks. */
export interface Configuration {
  /**
   * Base URL of the service, such as `https://review.example.org`; a trailing slash is allowed. Default:
   * `COUNTERSIGN_URL`.
   */
  readonly baseUrl?: string | undefined;
  /** Key of one project, `csk_…`. Default: `COUNTERSIGN_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The project that items without a `project_id` are submitted to. Default: `COUNTERSIGN_PROJECT_ID`. */
  readonly projectId?: string | undefined;
}

export interface Configured {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectId: string | undefined;
}

/**
 * What the options say, and the environment where they do not. Node, Deno, Bun and most edge runtimes have one; a browser has
 * none. Errors: `TypeError` that says what to set.
 */
export function configure(options: Configuration): Configured {
  const baseUrl = (options.baseUrl ?? fromEnvironment('COUNTERSIGN_URL'))?.replace(/\/+$/, '');
  if (baseUrl === undefined) {
    throw new TypeError('No address: set COUNTERSIGN_URL, or pass baseUrl, such as https://review.example.org.');
  }
  if (!/^https?:\/\/[^/?#]+(\/[^?#]*)?$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(
      'The address (COUNTERSIGN_URL or baseUrl) must be an HTTP URL such as https://review.example.org.',
    );
  }
  const apiKey = options.apiKey ?? fromEnvironment('COUNTERSIGN_API_KEY');
  if (apiKey === undefined) {
    throw new TypeError(
      'No API key: set COUNTERSIGN_API_KEY, or pass apiKey; owners create one on the page of their project.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    // The key itself stays out of the message.
    throw new TypeError('The API key (COUNTERSIGN_API_KEY or apiKey) must consist of printable ASCII characters.');
  }
  return { baseUrl, apiKey, projectId: options.projectId ?? fromEnvironment('COUNTERSIGN_PROJECT_ID') };
}

/** The value of a variable; undefined where it is empty, and where there is no environment or it may not be read. */
function fromEnvironment(name: string): string | undefined {
  const { process: host } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return host?.env?.[name]?.trim() || undefined;
  } catch {
    // Deno without `--allow-env`: a client that was given its options needs no permission.
    return undefined;
  }
}
