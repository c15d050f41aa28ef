/** The first pause before a request for locks is repeated, in milliseconds. */
const FIRST_MS = 30_000;
/** The shortest that a request can ask for. */
const SHORTEST_MS = 50;
/** The longest one. */
const LONGEST_MS = 5 * 60_000;
/** The pause in a run with a long history, which has to last for weeks. */
const RARE_MS = 60 * 60_000;
/** Events of a long history. Each repetition adds six. */
const LONG_HISTORY = 10_000;

/** The first pause, in milliseconds. @param asked by a request, which may shorten it */
export const firstPause = (asked = FIRST_MS): number => Math.min(Math.max(asked, SHORTEST_MS), LONGEST_MS);

/** The pause after one of so many milliseconds. @param historyLength in events */
export const nextPause = (pause: number, historyLength: number): number =>
  historyLength > LONG_HISTORY ? RARE_MS : Math.min(2 * pause, LONGEST_MS);

/** Requests that are repeated by timers of the workflow. Each adds six events to its history or more. */
export const NEAR_REQUESTS = 5;
