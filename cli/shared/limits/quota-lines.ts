import type { MethodCalls } from '../../../app/method-calls.generated.js';
import type { OperationResult } from '../../../core/operation/operation.js';
import type { Paint } from '../../program/screen.js';
import type { Session } from '../../program/session.js';

export type QuotaUses = NonNullable<Awaited<ReturnType<MethodCalls['plans']['result']>>['quota']>;

/** Reads how much of the quotas a preview's plan would use. Undefined without quotas. */
export async function readQuotaUses(session: Session, { operation, status }: OperationResult): Promise<QuotaUses | undefined> {
  return status === 'done' ? (await (await session.client()).plans.result({ operation })).quota : undefined;
}

/** The quotas that a plan would reach or exceed, a line each; empty if there are none. */
export function quotaLines(uses: QuotaUses, paint: Paint): string {
  const grown = uses.filter(({ used, limit, after = used }) => after > used && after >= limit);
  return grown
    .map(({ workspace, of, limit, used, after = used, currency, exceeded }) => {
      const amount = (value: number) => (currency === undefined ? String(value) : `${value} ${currency}`);
      const where = workspace === '*' ? 'all workspaces together' : `the workspace "${workspace}"`;
      const how = exceeded ? paint('red', 'exceeded, so the change would be refused') : paint('yellow', 'reached');
      return `quota: ${of} of ${where}: ${amount(after)} of ${amount(limit)}: ${how}\n`;
    })
    .join('');
}
