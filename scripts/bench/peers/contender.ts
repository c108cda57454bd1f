// Declares what each program of the race must do: the same job through its own public API.

export interface Contender {
  readonly name: string;
  /** Submits the n-th item; returns its id in this program. */
  submit(n: number): Promise<string>;
  /** The id of the next item of this person, as the program's own page would get it; null when none waits. */
  next(person: number): Promise<string | null>;
  /** This person decides an item that `next` gave to them. False when the program says that somebody else did. */
  decide(person: number, id: string): Promise<boolean>;
  /** The first page of the items that wait. */
  list(): Promise<void>;
  close(): Promise<void>;
}

/** How many people review. */
export const PEOPLE = 8;

export interface StartOptions {
  /** Where its webhooks go. */
  receiverUrl: string;
}

/** A program that may take part. */
export interface Peer {
  readonly name: string;
  /** Starts it with an empty database in a new folder; returns instead why it does not take part. */
  start(options: StartOptions): Promise<Contender | string>;
}
