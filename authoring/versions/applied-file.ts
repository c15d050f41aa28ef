import { join, relative } from 'node:path';
import { ProvisioningError } from '../../core/errors.js';
import { addressOf } from '../../core/infra/definition-log.js';
import { LIMITS } from '../../core/limits.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { isProgram } from '../../definition/source/formats.js';
import { readText } from '../../definition/source/read-text.js';
import type { Context } from '../context.js';
import { type InputFlags, sourceFrom } from '../definition/definitions.js';
import { definitionRows } from '../former/former-definition.js';
import { type FormerSource, formerSource } from '../former/former-source.js';
import { resolveExternalValues } from '../given/with-given.js';
import type { UpgradeInput } from './edit-definition.js';

/** Definition with the file from which it was applied. */
export interface AppliedFile extends UpgradeInput {
  file: string;
}

/**
 * Returns the record and the files of the definition that is in force. Undefined if none is, or if its files are not
 * stored.
 *
 * @throws inputError `unknown-infra`
 */
export async function findSourceInForce(context: Context, infra: string): Promise<FormerSource | undefined> {
  // The newest definition may have been rolled back.
  const inForce = (await definitionRows(context, infra)).findIndex((row) => row.inForce);
  if (inForce === -1) return undefined;
  return formerSource(context, infra, String(inForce + 1)).catch((error: unknown) => {
    if (error instanceof ProvisioningError && error.details.blame === 'user') return undefined;
    throw error;
  });
}

/**
 * Returns the file from which an infra's last definition was applied. The file must be in the workspace's or the
 * caller's folder, and must still yield exactly the applied definition. Otherwise returns undefined; also for
 * programs, which run only if a command names them.
 *
 * @param cwd absolute; the file is named relative to it
 */
export async function findAppliedFile(
  context: Context,
  infra: string,
  cwd: string,
  flags: InputFlags = {},
): Promise<AppliedFile | undefined> {
  const found = await findSourceInForce(context, infra);
  if (!found || isProgram(found.bundle.main)) return undefined;
  const { main, files, environment = undefined } = found.bundle;
  const address = files.find(({ path }) => path === main)?.address;
  if (flags.env !== undefined && flags.env !== environment) return undefined;
  for (const folder of new Set([context.folder, cwd])) {
    const path = folder === undefined ? undefined : join(folder, main);
    const text = path === undefined ? undefined : await readText(path, LIMITS.file, { within: folder });
    if (path === undefined || typeof text !== 'string' || addressOfFile(context.workspace, text) !== address) continue;
    const file = relative(cwd, path);
    const read = await sourceFrom(context, file, { ...flags, ...(environment && { env: environment }) });
    const definition = await resolveExternalValues(context, read);
    // Included files, variable values and the release contribute to the hash too.
    if (addressOf(definition) === found.row.hash) return { file, definition, read, ...(environment && { environment }) };
  }
  return undefined;
}
