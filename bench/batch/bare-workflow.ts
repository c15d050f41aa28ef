import { proxyActivities } from '@temporalio/workflow';

const { make } = proxyActivities<{ make(name: string): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** The floor: one workflow, one activity, which makes the same call of the provider. */
export async function bare(name: string): Promise<void> {
  await make(name);
}
