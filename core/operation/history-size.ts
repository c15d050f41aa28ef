/** Events that the history of one run may have. At 51,200 Temporal's server terminates a workflow, and nothing is rolled back. */
export const MOST_EVENTS = 46_000;

/**
 * Number of events after which a run begins nothing more and the operation continues in a new run. Running work ends
 * first, which may take as many events again.
 */
export const CONTINUE_AFTER = 20_000;

/**
 * Maximum number of parallel activities of an operation. Temporal holds 2,000 pending activities of a workflow. From
 * 600 on, its turns take too long.
 */
const AT_WORK = 500;

/** Events of one thing that is at work, but for what is rare: bench/large measures 13 for a machine and 16 for a service. */
const OF_ONE = 40;

/** Events of a look at a host, and events that exist once before it: admission, looks at the providers. */
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
