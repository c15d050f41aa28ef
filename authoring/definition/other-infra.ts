import { messageOf, ProvisioningError } from '../../core/errors.js';
import { createView } from '../../core/infra/inventory-view.js';
import type { OtherInfra } from '../../definition/interpolation/other-infras.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import type { Context } from '../context.js';

/** Returns the state of another infra in the workspace, or the reason why it is not known. Never throws. */
export async function readOtherInfra(context: Context, infra: string): Promise<OtherInfra> {
  const { workspace } = context;
  try {
    const client = await context.client();
    const inventory = await client.infras.inventory({ workspace, infra });
    if (inventory?.definition) return { view: createView(inventory.definition, inventory) };
    if (inventory) return { fault: `nothing is applied to the infra "${infra}"`, suggestion: 'provisioning apply FILE' };
    const known = await client.infras.list({ workspace });
    return { fault: `the workspace "${workspace}" has no infra "${infra}"`, suggestion: didYouMean(infra, known) };
  } catch (error) {
    const details = error instanceof ProvisioningError ? error.details : undefined;
    const fault = `what the infra "${infra}" has is not known: ${details?.why ?? messageOf(error)}`;
    return { fault, ...(details?.hint ? { suggestion: details.hint } : {}) };
  }
}
