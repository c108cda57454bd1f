// The reasons of a project whose settings change while a page is open.

export class ReactiveReasons {
  reasons: readonly string[] = $state.raw([]);
}
