import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Context } from '../context.js';
import { type InputFlags, inputOf } from '../definition/definitions.js';
import { findAppliedFile, findSourceInForce } from '../versions/applied-file.js';
import { findDefinitionFile } from './find-definition.js';

/** Definition file of a cluster, with the environment in which a command reads it. */
export interface ClusterFile {
  file: string;
  environment?: string;
}

/** Options of a command that changes the file of a cluster. */
type Flags = InputFlags & { file?: string; queue?: boolean };

/**
 * Finds the definition file of an infra: the named one, otherwise that in the folder for definitions, otherwise the
 * last applied one with the environment in which it was applied.
 *
 * @param cwd absolute; an applied file is named relative to it
 * @throws inputError `definition-file-needed`, `other-environment`
 */
export async function findClusterFile(context: Context, infra: string, cwd: string, flags: Flags): Promise<ClusterFile> {
  const file = flags.file ?? (await findDefinitionFile(infra, context.folder ?? cwd));
  if (file !== undefined) {
    await refuseOtherEnvironment(context, infra, file, flags);
    return { file, ...(flags.env !== undefined && { environment: flags.env }) };
  }
  const applied = await findAppliedFile(context, infra, cwd, flags);
  const environment = flags.env ?? applied?.environment;
  if (applied) return { file: applied.file, ...(environment !== undefined && { environment }) };
  throw inputError({
    code: 'definition-file-needed',
    what: 'scale the cluster',
    on: infra,
    why: 'its definition file is not known here, and the next apply of the file would undo the change',
    hint: 'set the file with --file FILE',
  });
}

/**
 * Refuses to read the definition of an infra in another environment than that in which it is applied. Otherwise what
 * only the overlay of the applied environment has would be removed or changed. An infra that is not applied, or whose
 * files are not stored, is not checked.
 *
 * @throws inputError `other-environment`
 */
export async function refuseOtherEnvironment(context: Context, infra: string, file: string, flags: Flags): Promise<void> {
  const found = await findSourceInForce(context, infra).catch((error: unknown) => {
    const isQueued = flags.queue && error instanceof ProvisioningError && error.details.code === 'no-worker';
    const isNew = error instanceof ProvisioningError && error.details.code === 'unknown-infra';
    if (isQueued || isNew) return undefined;
    throw error;
  });
  if (found?.row.hash === undefined) return;
  const applied = found.bundle.environment;
  const chosen = inputOf(context, flags).environment;
  if (applied === chosen) return;
  const nameOf = (environment?: string) => (environment === undefined ? 'no environment' : `the environment "${environment}"`);
  throw inputError({
    code: 'other-environment',
    what: 'read the definition',
    on: file,
    why: `the infra "${infra}" is applied with ${nameOf(applied)}, and this command has ${nameOf(chosen)}`,
    hint:
      applied === undefined
        ? `omit --env, or first: provisioning apply ${file} --env ${chosen}`
        : `add --env ${applied}, or first: provisioning apply ${file}${chosen === undefined ? '' : ` --env ${chosen}`}`,
  });
}
