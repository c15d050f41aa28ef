const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that Ctrl-C or another signal to this process can end. `signal` then aborts, and the work is stopped and
 * cleaned up before this returns.
 */
export async function runUntilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work(ended.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
