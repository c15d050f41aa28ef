import { hostname } from 'node:os';
import type { Client } from '@temporalio/client';
import { listWorkflows, queryRunning } from '../app/temporal/visibility.js';
import type { Poller } from '../core/engine/engine.js';
import { inputError } from '../core/errors.js';
import { parseWorkerIdentity } from '../core/names.js';
import type { Keyring } from '../encryption/keyring.js';
import type { KmsKind } from '../encryption/kms/key-wrapper.js';
import { keyIdOfPayload } from '../encryption/payload-codec.js';

/** Number of running workflows that are checked. */
const SAMPLE = 20;

/**
 * Refuses to start a worker without the keys of the running workflows, whose data it could not read.
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
 * Refuses keys that only one machine can open. Workers of several machines share their keys by a key service or by the
 * environment. Otherwise a person would have to copy the keys, after each rotation too.
 *
 * @param pollers the workers that poll the team's queue
 * @param wrappedBy the services that wrapped the keys in the file; undefined for unwrapped keys
 * @throws inputError `kms-needed` if a worker of another machine runs, and keys belong only to this machine
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
