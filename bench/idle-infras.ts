import { entityStart } from '../activities/infra/entity.js';
import { emptyInventory } from '../core/infra/inventory.js';
import { infraWorkflowId } from '../core/names.js';
import type { TestEngine } from '../test/support/engine.js';
import { eventually } from '../test/support/operations.js';

/** Infras that are begun side by side. */
const AT_ONCE = 50;

/** The name of an idle infra. */
export const nameIdleInfra = (index: number): string => `idle-${index}`;

/** Begins idle infras of the workspace `default`, each with a network, until their number has grown from `from` to `to`. */
export async function growIdleInfras(engine: TestEngine, from: number, to: number): Promise<void> {
  const begin = async (index: number) => {
    const infra = nameIdleInfra(index);
    const inventory = {
      ...emptyInventory({ workspace: 'default', infra, uuid: 'b5a1c0de-0000-4000-8000-000000000000' }),
      networks: { kept: { name: 'kept', provider: 'demo', id: 'x', since: 'bench' } },
    };
    await engine.temporal.workflow.start('infra', {
      ...entityStart('default', infra, engine.taskQueue),
      args: [{ workspace: 'default', infra, state: { inventory } }],
    });
  };
  for (let at = from; at < to; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, index) => begin(at + index)));
  if (to <= from) return;
  // The last one has processed its start.
  const last = engine.temporal.workflow.getHandle(infraWorkflowId('default', nameIdleInfra(to - 1)));
  await eventually(() => last.query('locks'), 600_000);
}
