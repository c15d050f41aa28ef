import { finished } from 'node:stream';

/**
 * Waits until the server is to end: for SIGTERM, SIGINT or, with a parent, the end of standard input. The parent holds the other
 * side of it and writes nothing, so that the system closes it even if the parent is killed.
 */
export function awaitEnd({ withParent }: { withParent: boolean }): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    if (!withParent) return;
    // Later log output has no reader.
    for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
    finished(process.stdin.resume(), () => resolve());
  });
}
