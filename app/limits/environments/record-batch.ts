import type { BatchSubmission } from '../../../core/schema/batch-request.js';
import type { Engine } from '../../engine.js';
import { recordSubmission } from './find-environments.js';

/** Infras whose environments are recorded at a time. */
const AT_ONCE = 10;

/**
 * Records the environments of a batch's definitions before it starts, as `recordSubmission` does for an operation: a
 * freeze of an environment holds the first step of each operation.
 *
 * @throws as `recordSubmission`
 */
export async function recordBatch(
  engine: Pick<Engine, 'temporal' | 'stores'>,
  { workspace, operations }: Pick<BatchSubmission, 'workspace' | 'operations'>,
): Promise<void> {
  const named = new Map<string, Set<string>>();
  for (const { infra, environment } of operations)
    if (environment !== undefined) named.set(infra, (named.get(infra) ?? new Set()).add(environment));
  const rows = named.size === 0 ? undefined : await engine.stores.rows?.();
  if (!rows) return;
  const waiting = [...named];
  const record = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [infra, environments] = next;
      // One after the other: each stays recorded beside the next one.
      for (const environment of environments) await recordSubmission(engine, rows, { workspace, infra }, environment);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, record));
}
