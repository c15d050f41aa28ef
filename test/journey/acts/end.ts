import type { OperationResult } from '../../../core/operation/operation.js';
import { remains } from '../machine.js';
import type { Session } from '../session.js';

/** Deletes everything. */
export async function end(session: Session): Promise<void> {
  const { infra, compare } = session;
  session.act('it is deleted');
  const preview = await session.ask<OperationResult>(`delete ${infra} --check`);
  const before = await remains(infra);
  compare(preview, {
    said: preview.json.plan.map(({ title }) => title).join('; '),
    truth: `Docker has ${before.length} things of it`,
    agree: preview.code === 0 && preview.json.plan.length === before.length,
  });
  const deleted = await session.ask<OperationResult>(`delete ${infra} --yes --allow-destroy`);
  const left = await remains(infra);
  compare(deleted, {
    said: `exit code ${deleted.code}, ${deleted.json.status}`,
    truth: `Docker has ${left.join(', ') || 'nothing of it'}`,
    agree: deleted.code === 0 && deleted.json.status === 'done' && left.length === 0,
  });
  const inventory = await session.tell('inventory');
  compare(inventory, {
    said: inventory.text.trim().split('\n').at(-1) ?? '',
    truth: `Docker has ${left.length} things of it`,
    agree: inventory.code === 0 && !inventory.text.includes(infra) && left.length === 0,
  });
}
