import type { Progress } from '../../core/operation/operation.js';
import { openStores } from '../../stores/open-stores.js';
import { packJson } from '../../stores/packed.js';
import { endedOperations } from '../../stores/rows/ended-operations.js';
import type { TestEngine } from '../../test/support/engine.js';

/** Rows of one write. */
const BATCH = 500;

/** Returns the id of an operation that ended so long ago that only the store has it. */
export const nameEnded = (index: number): string => `cluster-ensure-former-${index}`;

/**
 * Writes ended operations into their collection, as a server has them after months.
 *
 * @param like example; the others differ in their ids and infras
 * @returns rows a second
 */
export async function fillEnded({ home, env }: TestEngine, count: number, like: Progress): Promise<number> {
  const stores = await openStores(home, env);
  try {
    const log = (await stores.rows()).log(endedOperations);
    const began = performance.now();
    for (let from = 0; from < count; from += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => from + at);
      await log.appendNow(
        await Promise.all(
          numbers.map(async (number) => {
            const [operation, infra] = [nameEnded(number), `former-${number % 1_000}`];
            const packed = await packJson({ ...like, operation, infra });
            const at = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
            return {
              run: `former-${number}`,
              operation,
              workspace: 'default',
              infra,
              ended: at,
              progress: packed.toString('base64'),
            };
          }),
        ),
      );
    }
    return count / ((performance.now() - began) / 1_000);
  } finally {
    await stores.close();
  }
}
