// Splits long work: between two tasks the page answers to keys and touches.

/** Resolves in a task of its own, without the delay of a timer. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
