import type { Definition } from '../core/definition/definition.js';
import { inputError, ProvisioningError } from '../core/errors.js';
import type { Inventory } from '../core/infra/inventory.js';
import { didYouMean } from '../definition/source/did-you-mean.js';
import type { Flags } from './command.js';
import { definitionFrom } from './definition-file.js';
import { refuseUnsold } from './refuse-unsold.js';
import type { Session } from './session.js';

/** What an infra has. @throws an input error for one that does not exist */
export async function inventoryOf(session: Session, infra: string): Promise<Inventory> {
  const client = await session.client();
  const inventory = await client.inventory(session.workspace, infra);
  if (inventory) return inventory;
  const known = await client.infras(session.workspace);
  throw inputError({
    code: 'unknown-infra',
    what: 'find the infra',
    on: infra,
    why: `there is none of this name in the workspace "${session.workspace}"`,
    hint: didYouMean(infra, known) ?? 'provisioning apply FILE makes one',
  });
}

/** An infra that a command names. Where it is to wait for a worker, there is none to ask whether it exists. */
export async function namedInfra(session: Session, { queue }: Flags, name: string): Promise<string> {
  try {
    return (await inventoryOf(session, name)).infra;
  } catch (error) {
    if (queue && error instanceof ProvisioningError && error.details.code === 'no-worker') return name;
    throw error;
  }
}

/** The inventories that a command is about: of the infra that is named, or of all. */
export async function inventories(session: Session, infra?: string): Promise<Inventory[]> {
  if (infra !== undefined) return [await inventoryOf(session, infra)];
  const client = await session.client();
  const names = await client.infras(session.workspace);
  const found = await Promise.all(names.sort().map((name) => client.inventory(session.workspace, name)));
  return found.flatMap((inventory) => inventory ?? []);
}

/** The infra that a command acts on, and the definition where a file gives it. */
export async function subject(session: Session, flags: Flags): Promise<{ infra: string; definition?: Definition }> {
  if (flags.file !== undefined) {
    const definition = await definitionFrom(session, flags.file);
    if (flags.infra !== undefined && flags.infra !== definition.infra) {
      const why = `the file is about the infra "${definition.infra}", not "${flags.infra}"`;
      throw inputError({ code: 'other-infra', what: 'read the definition', on: flags.file, why });
    }
    await refuseUnsold(session, flags.file, definition);
    return { infra: definition.infra, definition };
  }
  if (flags.infra !== undefined) return { infra: await namedInfra(session, flags, flags.infra) };
  const known = await (await session.client()).infras(session.workspace);
  const [only] = known;
  if (only !== undefined && known.length === 1) return { infra: only };
  throw inputError({
    code: 'which-infra',
    what: 'choose the infra',
    why:
      known.length === 0
        ? `the workspace "${session.workspace}" has none`
        : `there are ${known.length}: ${known.sort().join(', ')}`,
    hint: known.length === 0 ? 'provisioning apply FILE makes one' : 'say which with --infra NAME',
  });
}
