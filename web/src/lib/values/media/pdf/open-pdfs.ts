// How many PDFs are open: each has two workers, so the first few open by themselves and the others at a press (MP7).

/** A submission can hold hundreds. */
const BY_THEMSELVES = 3;

let open = 0;

/** Whether another one may open by itself. */
export const mayOpen = (): boolean => open < BY_THEMSELVES;

/** Counts one that opens, and returns the function that takes it back. */
export function countOpen(): () => void {
  open += 1;
  return () => {
    open -= 1;
  };
}
