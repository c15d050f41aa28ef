import { condition, defineSignal, proxyLocalActivities, setHandler, sleep, type WorkflowInterceptors } from '@temporalio/workflow';
import { oneLocalActivity } from '../../workflows/one-local-activity.js';

export const interceptors = (): WorkflowInterceptors => ({ outbound: [oneLocalActivity()] });

const { wait } = proxyLocalActivities<{ wait(ms: number): Promise<void> }>({ startToCloseTimeout: '20 s' });
export const go = defineSignal('go');

/**
 * Runs two local activities in parallel. The result depends on whether all consequences of one have happened before
 * those of the other.
 */
export async function twoLocalActivities(): Promise<boolean> {
  let isOver = false;
  let goes = false;
  setHandler(go, () => {
    goes = true;
  });
  const first = async () => {
    await wait(50);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    isOver = true;
  };
  const second = async () => {
    await wait(300);
    const wasOver = isOver;
    if (wasOver) await sleep(1);
    return wasOver;
  };
  const [, wasOver] = await Promise.all([first(), second()]);
  await condition(() => goes);
  return wasOver;
}
