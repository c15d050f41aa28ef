import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A request that a load sends. */
export interface LoadRequest {
  /** Group of requests that are measured together. */
  kind: string;
  verb: 'GET' | 'POST';
  path: string;
  /** JSON. `NUMBER` in it becomes another number in each request. */
  body?: string;
  /** Path at which the end of the started operation is awaited; `{operation}` is its id. */
  follow?: string;
}

/** A text that becomes another number in each request that has it in its body. */
export const NUMBER = '0000000';

/** Requests that are sent at a fixed rate. */
export interface Load {
  /** `https://127.0.0.1:8443` */
  url: string;
  /** The authority that is trusted, as PEM. */
  ca: string;
  /** Token of the calling account. */
  token: string;
  /** Requests a second. */
  rate: number;
  /** In this order, each at its time. */
  requests: readonly LoadRequest[];
  /** Maximum number of connections, which are persistent. */
  connections: number;
}

/** Result of a load. Times are in milliseconds. */
export interface LoadResult {
  /**
   * By kind: from the due time of a request to the end of its answer, even if no connection was free at the due time.
   */
  times: Record<string, number[]>;
  /** By kind: from the same time to the end of the started operation. */
  ends: Record<string, number[]>;
  /** By reason. */
  errors: Record<string, number>;
  /** From the time of the first request to the end of the last. */
  took: number;
  /** From the due time of the last request to the end of all. */
  drained: number;
}

/** A process that sends loads. */
export interface LoadProcess {
  send(load: Load): Promise<LoadResult>;
  stop(): void;
}

/**
 * Starts the process that sends loads, so that its computation does not count for the measuring process or the server.
 */
export const startLoadProcess = (): LoadProcess => {
  const child = startProgram('load-main.ts');
  return {
    async send(load) {
      child.send(load);
      return (await answerOf(child)) as LoadResult;
    },
    stop: () => void child.kill('SIGKILL'),
  };
};

/** Starts a program of this folder, which speaks with its parent by messages. */
export const startProgram = (name: string): ChildProcess =>
  fork(fileURLToPath(new URL(name, import.meta.url)), { execArgv: ['--import', 'tsx'], serialization: 'advanced' });

/** The next message of a program. @throws Error if it ends instead */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`a program of the bench ended with exit code ${code}`);
    });
    return await Promise.race([once(child, 'message', { signal }).then(([message]) => message), ended]);
  } finally {
    stop.abort();
  }
}

/** Returns the value that a share of the values do not exceed; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

/** How many requests failed. */
export const countErrors = ({ errors }: Pick<LoadResult, 'errors'>): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);
