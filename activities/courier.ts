import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Brings news to workflows. */
export interface Courier {
  /**
   * Resolves when the workflow's history has it, or no such workflow runs.
   *
   * @param lingerMs how long it may wait for company where a delivery has just been made
   */
  bring(workflow: string, signal: string, news: unknown, lingerMs: number): Promise<void>;
}

interface Letter {
  news: unknown;
  resolve(): void;
  reject(error: unknown): void;
}

/** One signal holds at most so many. */
const AT_ONCE = 200;
/** A delivery this long ago makes nobody wait. */
const QUIET_MS = 500;

/**
 * News for the same workflow that come in while some are being delivered go out
 * together, as one signal whose argument is a list: a busy infra or batch gets
 * few large signals in the place of thousands of small ones.
 */
export function courierOf(temporal: Client): Courier {
  const boxes = new Map<string, Letter[]>();
  const delivered = new Map<string, number>();

  async function deliver(box: string, workflow: string, signal: string, lingerMs: number): Promise<void> {
    for (;;) {
      if (Date.now() - (delivered.get(box) ?? 0) < QUIET_MS) await sleep(lingerMs);
      const letters = boxes.get(box)?.splice(0, AT_ONCE) ?? [];
      if (letters.length === 0) break;
      try {
        await temporal.workflow.getHandle(workflow).signal(signal, [...letters.map(({ news }) => news)]);
        for (const { resolve } of letters) resolve();
      } catch (error) {
        for (const { resolve, reject } of letters) error instanceof WorkflowNotFoundError ? resolve() : reject(error);
      }
      delivered.set(box, Date.now());
    }
    boxes.delete(box);
    setTimeout(() => {
      if (Date.now() - (delivered.get(box) ?? 0) >= QUIET_MS) delivered.delete(box);
    }, 2 * QUIET_MS).unref();
  }

  return {
    bring: (workflow, signal, news, lingerMs) =>
      new Promise<void>((resolve, reject) => {
        const box = `${signal} ${workflow}`;
        const waiting = boxes.get(box);
        if (waiting) {
          waiting.push({ news, resolve, reject });
          return;
        }
        boxes.set(box, [{ news, resolve, reject }]);
        void deliver(box, workflow, signal, lingerMs);
      }),
  };
}
