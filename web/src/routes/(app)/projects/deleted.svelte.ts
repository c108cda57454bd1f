// The project that was just deleted here: the list says so once, when it is seen next.
class Deleted {
  name: string | null = $state(null);

  say(name: string): void {
    this.name = name;
  }

  /** It was said. */
  forget(): void {
    this.name = null;
  }
}

export const deleted = new Deleted();
