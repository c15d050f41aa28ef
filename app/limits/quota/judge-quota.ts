import type { Quota, QuotaClaim } from '../../../stores/rows/quotas.js';
import type { InfraUse } from './workspace-use.js';

/** Use of a quota, now and with a change. */
export interface QuotaUse {
  /** The workspace of the quota; `*` for all workspaces together. */
  workspace: string;
  of: 'operations' | 'servers' | 'monthly cost';
  limit: number;
  used: number;
  /** Use with the change; absent without a change. */
  after?: number;
  /** Currency of a cost, by ISO 4217. */
  currency?: string;
  exceeded?: true;
}

const keyOf = ({ workspace, infra }: Pick<InfraUse, 'workspace' | 'infra'>) => `${workspace}/${infra}`;

/**
 * Compares the use with a quota. A change that does not increase the use is always accepted: a workspace above its
 * quota can still be changed.
 *
 * @param uses present use of infras
 * @param wanted the change
 */
export function judgeQuota(
  quota: Pick<Quota, 'workspace' | 'operations' | 'servers' | 'monthly'>,
  claims: readonly QuotaClaim[],
  uses: readonly InfraUse[],
  wanted?: Pick<QuotaClaim, 'weight' | 'infras'>,
): QuotaUse[] {
  const { workspace, operations, servers, monthly } = quota;
  const judged: QuotaUse[] = [];
  const add = (of: QuotaUse['of'], limit: number, used: number, after: number, currency?: string) =>
    judged.push({
      ...{ workspace, of, limit, used },
      ...(wanted && { after }),
      ...(currency !== undefined && { currency }),
      ...(wanted && after > limit && after > used && { exceeded: true as const }),
    });
  const running = claims.reduce((sum, { weight }) => sum + weight, 0);
  if (operations !== undefined) add('operations', operations, running, running + (wanted?.weight ?? 0));
  const now = most([...uses, ...claims.flatMap(({ infras }) => infras)]);
  const then = most([...now.values(), ...(wanted?.infras ?? [])]);
  if (servers !== undefined) add('servers', servers, sumOf(now, 'servers'), sumOf(then, 'servers'));
  if (monthly) add('monthly cost', monthly.amount, sumOf(now, 'amount'), sumOf(then, 'amount'), monthly.currency);
  return judged;
}

/** Returns the maximum use of each infra: a running change has added a part of its claim. */
function most(all: readonly InfraUse[]): Map<string, InfraUse> {
  const byInfra = new Map<string, InfraUse>();
  for (const one of all) {
    const known = byInfra.get(keyOf(one));
    const amount = Math.max(known?.amount ?? 0, one.amount ?? 0);
    byInfra.set(keyOf(one), { ...one, servers: Math.max(known?.servers ?? 0, one.servers), amount });
  }
  return byInfra;
}

const sumOf = (uses: ReadonlyMap<string, InfraUse>, field: 'servers' | 'amount'): number =>
  Math.round([...uses.values()].reduce((sum, one) => sum + (one[field] ?? 0), 0) * 100) / 100;
