import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** Brings news to workflows. */
export interface Courier {
  /** So many will have last news for this workflow: as long as there are some, news wait for company. */
  expect(workflow: string, count: number): void;
  /**
   * Resolves when the workflow's history has it, or no such workflow runs.
   *
   * @param lingerMs maximum wait for further messages if a delivery was just made and others are expected
   * @param last whether this is the last message of its sender
   */
  bring(workflow: string, signal: string, news: unknown, lingerMs: number, last?: boolean): Promise<void>;
}

interface Letter {
  news: unknown;
  resolve(): void;
  reject(error: unknown): void;
}

interface Box {
  letters: Letter[];
  /** Ends the wait for company. */
  hurry(): void;
}

/** One signal holds at most so many. */
const AT_ONCE = 200;
/** A delivery this long ago makes no sender wait. */
const QUIET_MS = 500;

/**
 * Combines messages for one workflow that arrive during a delivery into one signal with a list. A busy infra or batch
 * gets few large signals instead of thousands of small ones.
 */
export function createCourier(temporal: Client): Courier {
  const boxes = new Map<string, Box>();
  const delivered = new Map<string, number>();
  const expected = new Map<string, number>();

  async function deliver(name: string, box: Box, workflow: string, signal: string, lingerMs: number): Promise<void> {
    for (;;) {
      if (Date.now() - (delivered.get(name) ?? 0) < QUIET_MS) await company(box, workflow, lingerMs);
      const letters = box.letters.splice(0, AT_ONCE);
      if (letters.length === 0) break;
      try {
        await temporal.workflow.getHandle(workflow).signal(signal, [...letters.map(({ news }) => news)]);
        for (const { resolve } of letters) resolve();
      } catch (error) {
        for (const { resolve, reject } of letters) error instanceof WorkflowNotFoundError ? resolve() : reject(error);
      }
      delivered.set(name, Date.now());
    }
    boxes.delete(name);
    setTimeout(() => {
      if (Date.now() - (delivered.get(name) ?? 0) >= QUIET_MS) delivered.delete(name);
    }, 2 * QUIET_MS).unref();
  }

  async function company(box: Box, workflow: string, lingerMs: number): Promise<void> {
    if (!expected.has(workflow)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, lingerMs);
      box.hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    box.hurry = () => {};
  }

  function expect(workflow: string, count: number): void {
    const left = (expected.get(workflow) ?? 0) + count;
    // Those that another worker began, or that began in an earlier life, were never counted.
    if (left > 0) expected.set(workflow, left);
    else expected.delete(workflow);
  }

  return {
    expect,
    bring: (workflow, signal, news, lingerMs, last) =>
      new Promise<void>((resolve, reject) => {
        const name = `${signal} ${workflow}`;
        const letter = { news, resolve, reject };
        if (last) expect(workflow, -1);
        const waiting = boxes.get(name);
        if (!waiting) {
          const box: Box = { letters: [letter], hurry() {} };
          boxes.set(name, box);
          void deliver(name, box, workflow, signal, lingerMs);
          return;
        }
        waiting.letters.push(letter);
        if (!expected.has(workflow) || waiting.letters.length >= AT_ONCE) waiting.hurry();
      }),
  };
}
