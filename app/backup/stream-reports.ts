import type { ProgressReport } from '../../core/report.js';
import type { Watch } from './backup-program.js';

/** An event of long work: its progress, and finally its result. */
export type WorkEvent<T> = { report: ProgressReport } | { result: T };

/**
 * Yields the reports of work, and finally its result. The work is stopped if the reader leaves.
 *
 * @throws the errors of `work`
 */
export async function* streamReports<T>(
  work: (watch: Required<Watch>) => Promise<T>,
  signal?: AbortSignal,
): AsyncGenerator<WorkEvent<T>> {
  const queue: ProgressReport[] = [];
  let wake = () => {};
  let ended: { result: T } | { error: unknown } | undefined;
  const left = new AbortController();
  const report = (progress: ProgressReport) => {
    queue.push(progress);
    wake();
  };
  const end = (how: typeof ended) => {
    ended = how;
    wake();
  };
  work({ report, signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal }).then(
    (result) => end({ result }),
    (error: unknown) => end({ error }),
  );
  try {
    while (queue.length > 0 || ended === undefined) {
      const progress = queue.shift();
      if (progress) yield { report: progress };
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    left.abort();
  }
  if ('error' in ended) throw ended.error;
  yield { result: ended.result };
}
