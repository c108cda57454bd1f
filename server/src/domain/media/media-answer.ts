// What a fetch of media asks and gets, between the use case and the guarded connection.

/** Why nothing is shown. */
export type MediaFault =
  | 'url_refused'
  | 'host_refused'
  | 'too_many_redirects'
  | 'wrong_type'
  | 'encoded'
  | 'too_large'
  | 'timeout'
  | 'not_there'
  | 'unreachable';

export interface MediaRequest {
  url: string;
  /** The project's `media_hosts`. */
  hosts: readonly string[];
  /** The `range` header of a player: one range of bytes. */
  range: string | null;
}

export interface MediaAnswer {
  status: 200 | 206;
  /** The type by the first bytes. */
  type: string;
  /** Length and range of the body, in the names of HTTP. */
  headers: Record<string, string>;
  /** Throws `MediaRefused` where it breaks off. Must be read to its end or returned: it holds a connection. */
  chunks: AsyncGenerator<Uint8Array>;
}

export class MediaRefused extends Error {
  override readonly name = 'MediaRefused';
  readonly fault: MediaFault;
  constructor(fault: MediaFault, options?: ErrorOptions) {
    super(fault, options);
    this.fault = fault;
  }
}
