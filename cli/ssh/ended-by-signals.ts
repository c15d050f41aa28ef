const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Does something that Ctrl-C ends, or whoever ends this process: `signal` aborts then, and what is begun
 * is ended and cleared away before it returns.
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
