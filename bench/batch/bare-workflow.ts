import { proxyActivities } from '@temporalio/workflow';

const { make } = proxyActivities<{ make(name: string): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** Runs the baseline: a workflow whose activity makes the same call of the provider, `times` in a row. */
export async function bare(name: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) await make(name);
}
