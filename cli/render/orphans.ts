import type { Orphan, OrphanReport, RemovalReport } from '../../core/operation/orphans.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

/** Renders orphans with their place, the reason, and their origin. */
export function orphanTable(orphans: readonly Orphan[], workspace: string, paint: Paint): string {
  const rows = orphans.map(({ provider, scope, kind, name, since, reason, operation, ended }) => [
    provider,
    scope.infra,
    kind,
    name,
    since?.replace(/\.\d+Z$/, 'Z') ?? '',
    operation ? `${operation}${ended ? ` (${ended})` : ''}` : '',
    reason,
  ]);
  const head = ['PROVIDER', 'INFRA', 'WHAT', 'NAME', 'SINCE', 'MADE BY', 'WHY'];
  return renderTable(head, rows, `no orphans in workspace ${workspace}`, paint);
}

export const renderUnasked = (unasked: OrphanReport['unasked'], paint: Paint): string[] =>
  unasked.map(({ provider, why }) => `${paint('yellow', 'not asked:')} ${provider}: ${why}`);

/** Renders one line for each, failures last. */
export function removalLines({ removed, kept, failed }: RemovalReport, paint: Paint): string[] {
  const nameOf = ({ kind, name, scope, provider }: Orphan) => `${kind} ${name} of ${scope.infra} (${provider})`;
  return [
    ...removed.map((one) => `${paint('green', 'removed:')} ${nameOf(one)}`),
    ...kept.map((one) => `${paint('yellow', 'kept:')} ${nameOf(one)}: ${one.why}`),
    ...failed.map((one) => `${paint('red', 'not removed:')} ${nameOf(one)}: ${one.why}`),
  ];
}
