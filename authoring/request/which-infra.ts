import type { Definition } from '../../core/definition/definition.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { Context } from '../context.js';
import { type InputFlags, type Read, sourceFrom } from '../definition/definitions.js';
import { refuseUnsold } from '../definition/refuse-unsold.js';
import { resolveExternalValues } from '../given/with-given.js';

/**
 * Returns the inventory of an infra.
 *
 * @throws an input error if the infra does not exist
 */
export async function findInventory(context: Context, infra: string): Promise<Inventory> {
  const client = await context.client();
  const inventory = await client.infras.inventory({ workspace: context.workspace, infra });
  if (inventory) return inventory;
  const known = await client.infras.list({ workspace: context.workspace });
  throw inputError({
    code: 'unknown-infra',
    what: 'find the infra',
    on: infra,
    why: `the workspace "${context.workspace}" has no such infra`,
    hint: didYouMean(infra, known) ?? 'provisioning apply FILE creates it',
  });
}

/** Returns the infra that a command names. With `queue` and without a worker, the name is not checked. */
export async function chooseNamedInfra(context: Context, { queue }: { queue?: boolean }, name: string): Promise<string> {
  try {
    return (await findInventory(context, name)).infra;
  } catch (error) {
    if (queue && error instanceof ProvisioningError && error.details.code === 'no-worker') return name;
    throw error;
  }
}

/** Returns the inventory of the named infra, or the inventories of all infras. */
export async function inventories(context: Context, infra?: string): Promise<Inventory[]> {
  if (infra !== undefined) return [await findInventory(context, infra)];
  const client = await context.client();
  const names = await client.infras.list({ workspace: context.workspace });
  const found = await Promise.all(
    names.sort().map((name) => client.infras.inventory({ workspace: context.workspace, infra: name })),
  );
  return found.flatMap((inventory) => inventory ?? []);
}

/** Selection of an infra: by a definition file, by its name, or automatically if there is only one. */
export interface InfraSelector extends InputFlags {
  file?: string;
  infra?: string;
  /** Whether the request waits for a worker. Without a worker, the infra cannot be checked. */
  queue?: boolean;
}

/** Reads a definition file. If an infra is named, the file must be about it. */
export async function readAbout(context: Context, file: string, about: InfraSelector): Promise<Read> {
  const read = await sourceFrom(context, file, about);
  const { infra } = read.definition;
  if (about.infra === undefined || about.infra === infra) return read;
  const why = `the file describes the infra "${infra}", not "${about.infra}"`;
  throw inputError({ code: 'other-infra', what: 'read the definition', on: file, why });
}

/** Returns the infra that a command acts on, and its definition if a file is given. */
export async function subject(context: Context, about: InfraSelector): Promise<{ infra: string; definition?: Definition }> {
  if (about.file !== undefined) {
    const read = await readAbout(context, about.file, about);
    await refuseUnsold(context, read);
    return { infra: read.definition.infra, definition: await resolveExternalValues(context, read) };
  }
  if (about.infra !== undefined) return { infra: await chooseNamedInfra(context, about, about.infra) };
  const known = await (await context.client()).infras.list({ workspace: context.workspace });
  const [only] = known;
  if (only !== undefined && known.length === 1) return { infra: only };
  throw inputError({
    code: 'which-infra',
    what: 'choose the infra',
    why:
      known.length === 0
        ? `the workspace "${context.workspace}" has no infra`
        : `the workspace has ${known.length}: ${known.sort().join(', ')}`,
    hint: known.length === 0 ? 'provisioning apply FILE creates it' : 'choose an infra with --infra NAME',
  });
}
