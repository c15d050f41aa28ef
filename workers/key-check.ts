import type { Client } from '@temporalio/client';
import { listWorkflows, runningOn } from '../app/temporal/visibility.js';
import type { Keyring } from '../encryption/keyring.js';
import { keyIdOfPayload } from '../encryption/payload-codec.js';

/** How many running workflows are looked at. */
const SAMPLE = 20;

/**
 * A worker without the keys of what runs would take up work that it cannot read,
 * again and again: it does not start.
 *
 * @throws inputError `unknown-encryption-key`, which names the key
 */
export async function refuseWithoutKeys(temporal: Client, taskQueue: string, keyring: Keyring): Promise<void> {
  const running: { workflowId: string; runId: string }[] = [];
  for await (const one of listWorkflows(temporal, runningOn(taskQueue), SAMPLE)) {
    if (running.push(one) >= SAMPLE) break;
  }
  await Promise.all(
    running.map(async ({ workflowId, runId }) => {
      const description = await temporal.workflow
        .getHandle(workflowId, runId)
        .describe()
        .catch(() => undefined);
      const summary = description?.raw.executionConfig?.userMetadata?.summary;
      const key = summary ? keyIdOfPayload(summary) : undefined;
      if (key !== undefined) keyring.find(key);
    }),
  );
}
