// Reports what a backup or restore is doing every few seconds, because a large one takes minutes.

/** Receives lines for the operator. */
export type Report = (line: string) => void;

const EVERY_MS = 5_000;

export function openProgress(report: Report): (what: string) => void {
  let last = performance.now();
  return (what) => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    report(`… ${what}`);
  };
}
