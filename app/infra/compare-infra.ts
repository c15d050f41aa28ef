import type { DriftReport, RefreshRequest } from '../../core/operation/drift.js';
import { attributesFrom } from '../../core/operation/search-attributes.js';
import type { refresh } from '../../workflows/index.js';
import type { Call } from '../method.js';
import { inquire } from '../temporal/inquiry.js';

interface Comparison {
  /** Begins the workflow's id: `status`, `versions`. */
  purpose: string;
  /** One line for the Web UI. */
  summary: string;
}

/**
 * Has an infra compared with its providers and its hosts, by a workflow.
 *
 * @throws inputError `unknown-infra`
 */
export function compareInfra(
  { engine, principal: { actor } }: Pick<Call, 'engine' | 'principal'>,
  request: Omit<RefreshRequest, 'actor'>,
  { purpose, summary }: Comparison,
): Promise<DriftReport> {
  const { workspace, infra } = request;
  return inquire<typeof refresh>(
    engine,
    'refresh',
    { ...request, actor },
    { id: `${purpose}-${workspace}-${infra}`, summary, attributes: attributesFrom({ workspace, infra, actor, kind: 'refresh' }) },
  );
}
