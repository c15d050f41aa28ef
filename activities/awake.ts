/** How often the clock is read, in milliseconds. */
const TICK_MS = 1_000;
/** A longer gap between two readings was a stop (SIGSTOP, a suspended machine), not work, in milliseconds. */
const LONGEST_GAP_MS = 5_000;

let awake = 0;
let last = performance.now();

function read(): number {
  const now = performance.now();
  awake += Math.min(now - last, LONGEST_GAP_MS);
  last = now;
  return awake;
}

setInterval(read, TICK_MS).unref();

/** Milliseconds for which this process was awake: time in which it was stopped, or its machine suspended, does not count. */
export const awakeMs = (): number => read();
