import type { MethodCalls } from '../../../app/method-calls.generated.js';
import type { Paint } from '../../program/screen.js';
import { renderTable } from '../../render/inventory.js';

type Uses = Awaited<ReturnType<MethodCalls['quotas']['get']>>;

/** Renders the usage of quotas as a table. */
export function quotaTable(uses: Uses, paint: Paint): string {
  const rows = uses.map(({ workspace, of, limit, used, currency = '' }) => [
    workspace,
    of,
    `${used} ${currency}`.trim(),
    `${limit} ${currency}`.trim(),
  ]);
  return renderTable(['WORKSPACE', 'OF', 'IN USE', 'LIMIT'], rows, 'no quotas', paint);
}
