import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { listWorkflows, queryRunning } from '../app/temporal/visibility.js';
import type { Poller } from '../core/engine/engine.js';
import { inputError } from '../core/errors.js';
import { parseWorkerIdentity } from '../core/names.js';
import type { Keyring } from '../encryption/keyring.js';
import type { KmsKind } from '../encryption/kms/key-wrapper.js';
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
  for await (const one of listWorkflows(temporal, queryRunning(taskQueue), SAMPLE)) {
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

/**
 * Workers of several machines share their keys by a key service or by the environment: what only one machine can
 * open would come to the others by hand, and would be copied with every rotation.
 *
 * @param pollers the workers that ask the team's queue for work
 * @param wrappedBy who wrapped the keys in the file; undefined for what lies there as it is
 * @throws inputError `kms-needed` where a worker of another machine runs, and keys are of this machine alone
 */
export function refuseKeysOfOneMachine(
  pollers: readonly Pick<Poller, 'identity'>[],
  wrappedBy: readonly (KmsKind | undefined)[],
  here = hostname(),
): void {
  if (!wrappedBy.some((kind) => kind === 'local' || kind === undefined)) return;
  const others = pollers.flatMap(({ identity }) => parseWorkerIdentity(identity)?.hostname ?? []).filter((name) => name !== here);
  const [other] = others;
  if (other === undefined) return;
  throw inputError({
    code: 'kms-needed',
    what: 'start the worker',
    on: here,
    why: `a worker of another machine (${other}) serves the same store, and the encryption keys are wrapped only for this machine`,
    hint: KMS_HINT,
  });
}

const KMS_HINT =
  'provisioning config set encryption.kms vault (or aws-kms, age, command), then `provisioning encryption rewrap`, on each machine; docs/operate/encryption.md';
