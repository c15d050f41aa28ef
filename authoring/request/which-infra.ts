import type { Definition } from '../../core/definition/definition.js';
import { inputError, ProvisioningError } from '../../core/errors.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { Context } from '../context.js';
import { type InputFlags, type Read, sourceFrom } from '../definition/definitions.js';
import { refuseUnsold } from '../definition/refuse-unsold.js';
import { resolveExternalValues } from '../given/with-given.js';

/** What an infra has. @throws an input error for one that does not exist */
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

/** An infra that a command names. Where it is to wait for a worker, there is none to ask whether it exists. */
export async function chooseNamedInfra(context: Context, { queue }: { queue?: boolean }, name: string): Promise<string> {
  try {
    return (await findInventory(context, name)).infra;
  } catch (error) {
    if (queue && error instanceof ProvisioningError && error.details.code === 'no-worker') return name;
    throw error;
  }
}

/** The inventories that a command is about: of the infra that is named, or of all. */
export async function inventories(context: Context, infra?: string): Promise<Inventory[]> {
  if (infra !== undefined) return [await findInventory(context, infra)];
  const client = await context.client();
  const names = await client.infras.list({ workspace: context.workspace });
  const found = await Promise.all(
    names.sort().map((name) => client.infras.inventory({ workspace: context.workspace, infra: name })),
  );
  return found.flatMap((inventory) => inventory ?? []);
}

/** How it is said which infra is meant: by a definition file, by its name, or not at all where there is only one. */
export interface InfraSelector extends InputFlags {
  file?: string;
  infra?: string;
  /** It is to wait for a worker: there may be none to ask. */
  queue?: boolean;
}

/** What a file says, which is about the infra that is named, where one is. */
export async function readAbout(context: Context, file: string, about: InfraSelector): Promise<Read> {
  const read = await sourceFrom(context, file, about);
  const { infra } = read.definition;
  if (about.infra === undefined || about.infra === infra) return read;
  const why = `the file describes the infra "${infra}", not "${about.infra}"`;
  throw inputError({ code: 'other-infra', what: 'read the definition', on: file, why });
}

/** The infra that a command acts on, and the definition where a file gives it. */
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
