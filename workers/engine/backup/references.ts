import type { Connection } from '@temporalio/client';
import { listOpenWorkflows } from '../../../app/temporal/visibility.js';
import { ProvisioningError } from '../../../core/errors.js';
import type { Cipher } from '../../../encryption/cipher.js';
import { payloadsIn, referenceIn } from '../../../encryption/payload-codec.js';

/** Histories that are read side by side. */
const AT_ONCE = 4;
const PAGE = 500;

export interface References {
  /** SHA-256 of each referenced payload in the store. */
  referred: Set<string>;
  histories: number;
}

/**
 * Collects the references in all histories of Temporal, both open and retained workflows. It includes payloads that
 * are not in a history yet: memos, heartbeats.
 *
 * All workflows of the namespace count, whatever queue they are for, because the store is also keyed by key and
 * namespace.
 *
 * @param taskQueue own queue, if others use the namespace. In workflows of other queues, payloads that are sealed with
 * an unavailable key belong to others, and are skipped.
 * @throws if a history cannot be read, or an own payload is sealed with an unavailable key: the result would be
 * incomplete
 */
export async function collectReferences(
  connection: Connection,
  { namespace, taskQueue, cipher }: { namespace: string; taskQueue?: string; cipher: Cipher },
  onHistory: (count: number) => void,
): Promise<References> {
  const found: References = { referred: new Set(), histories: 0 };
  const noting = (isOurs: boolean) => async (answer: unknown) => {
    for (const payload of payloadsIn(answer)) {
      const sha256 = await referenceIn(payload, cipher, namespace).catch((error: unknown) => {
        if (isOurs || !isUnknownKey(error)) throw error;
      });
      if (sha256) found.referred.add(sha256);
    }
  };
  const listed = listOpenWorkflows({ workflowService: connection.workflowService, options: { namespace } }, '', PAGE);
  const read = async () => {
    for (let next = await listed.next(); !next.done; next = await listed.next()) {
      const info = next.value;
      const note = noting(taskQueue === undefined || info.taskQueue === taskQueue);
      await note(info.memo);
      await noteWorkflow(connection, namespace, info.execution ?? {}, note);
      onHistory(++found.histories);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return found;
}

const isUnknownKey = (error: unknown): boolean =>
  error instanceof ProvisioningError && error.details.code === 'unknown-encryption-key';

const NOT_FOUND = 5;

async function noteWorkflow(
  { workflowService }: Connection,
  namespace: string,
  execution: { workflowId?: string | null; runId?: string | null },
  note: (answer: unknown) => Promise<void>,
): Promise<void> {
  try {
    await note(await workflowService.describeWorkflowExecution({ namespace, execution }));
    for (let nextPageToken: Uint8Array | undefined; ; ) {
      const page = await workflowService.getWorkflowExecutionHistory({
        namespace,
        execution,
        maximumPageSize: PAGE,
        nextPageToken,
      });
      await note(page.history?.events);
      nextPageToken = page.nextPageToken;
      if (!nextPageToken?.length) return;
    }
  } catch (error) {
    // Its retention ended since it was listed.
    if ((error as { code?: number }).code !== NOT_FOUND) throw error;
  }
}
