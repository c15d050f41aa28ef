/** Events that the history of one run may have. At 51,200 Temporal's server terminates a workflow, and nothing is rolled back. */
export const MOST_EVENTS = 46_000;

/**
 * Events after which an operation begins nothing more in its run, and goes on in a new one. What is at work ends first,
 * which takes as much again at worst.
 */
export const CONTINUE_AFTER = 20_000;

/** Things that one operation has at work at once, at most: Temporal holds 2,000 pending activities of a workflow, and at 600 its turns begin to take too long. */
const AT_WORK = 500;

/** Events of one thing that is at work, but for what is rare: bench/large measures 13 for a machine and 16 for a service. */
const OF_ONE = 40;

/** Of a look at a host, and of all that is there once before it: admission, the looks at the providers. */
const OF_A_LOOK = 3;
const OF_ALL = 200;

/**
 * How many things an operation may have at work at once.
 *
 * @param continueAfter events after which it goes on in a new run
 */
export const limitAtWork = (continueAfter: number = CONTINUE_AFTER): number => Math.min(AT_WORK, Math.ceil(continueAfter / OF_ONE));

/** How many events it takes to look at so many hosts and decide, about. */
export const eventsOfLooks = (hosts: number): number => OF_ALL + OF_A_LOOK * hosts;
