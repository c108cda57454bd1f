// What the page on show adds to the top bar. A page sets it in an effect and takes it back when it goes.

interface Shell {
  /** Behind the page's name: the project, the item. */
  detail: string | null;
  /** How many changes a page holds back while it is paused. */
  heldBack: number;
  /** Something is told in or below the top bar: what else would be told there waits. */
  noticeShown: boolean;
}

export const shell: Shell = $state({ detail: null, heldBack: 0, noticeShown: false });
