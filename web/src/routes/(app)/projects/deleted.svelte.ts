// The project that was just deleted here: the list reports it once, when it is shown next.
class Deleted {
  name: string | null = $state(null);

  say(name: string): void {
    this.name = name;
  }

  /** The message was shown. */
  forget(): void {
    this.name = null;
  }
}

export const deleted = new Deleted();
