import { type Bundle, bundleIn } from '../../../core/definition/bundle.js';
import { DefinitionLog } from '../../../core/infra/definition-log.js';
import type { StoreRecord } from '../../../stores/records.js';
import type { Rows } from '../../../stores/rows.js';
import { recordEnvironment } from '../../limits/environments/record-environment.js';
import type { WorkspaceSummary } from './transfer-schemas.js';
import type { TakenInfra } from './workspace-content.js';

/** What a freeze of an environment needs of the files of a definition. */
export type KnownBundle = Pick<Bundle, 'infra' | 'definition' | 'environment'>;

/** Returns the bundle in a record, if it is one. */
export function readBundleRecord({ kind, bytes }: StoreRecord): KnownBundle | undefined {
  const bundle = kind === 'blob' ? bundleIn(bytes.toString('utf8')) : undefined;
  return (
    bundle && {
      infra: bundle.infra,
      definition: bundle.definition,
      ...(bundle.environment !== undefined && { environment: bundle.environment }),
    }
  );
}

interface Imported {
  workspace: string;
  infras: readonly TakenInfra[];
  /** Environments that the former platform recorded; an export of a former release names none. */
  named: Pick<WorkspaceSummary, 'infras'>['infras'];
}

/** Records the environments of imported infras: the recorded ones, and those of the files of their definitions in force. */
export async function recordEnvironments(
  rows: Rows,
  { workspace, infras, named }: Imported,
  bundles: readonly KnownBundle[],
): Promise<void> {
  for (const { infra, known } of infras) {
    const { environments = [] } = named.find((one) => one.infra === infra) ?? {};
    for (const environment of environments.toReversed()) await recordEnvironment(rows, { workspace, infra }, environment);
    if (environments.length > 0) continue;
    const inForce = new DefinitionLog(known.definitions).rows().find((row) => row.inForce);
    const bundle = bundles.findLast((one) => one.infra === infra && one.definition === inForce?.hash);
    if (bundle) await recordEnvironment(rows, { workspace, infra }, bundle.environment);
  }
}
