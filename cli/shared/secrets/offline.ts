import type { OptionSpec } from '../../command.js';

/** Option of commands that read values: the exception `offline` of `WITHOUT_WORKER`. */
export const OFFLINE = {
  flags: '--offline',
  about: 'open the store in this process instead of asking the worker, for an emergency in which no worker can start',
} as const satisfies OptionSpec;
