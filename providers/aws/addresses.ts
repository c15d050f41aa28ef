import type { Address } from '@aws-sdk/client-ec2';
import type { CallContext } from '../../sdk/index.js';
import type { Ask } from './ec2/region.js';
import { ensureSingle } from './ec2/single.js';
import { createMarkFilters, ownTags, tagSpecification } from './ec2/tags.js';
import { unless } from './errors.js';
import type { MakeContext } from './vpc/vpc.js';

/** Lists the elastic addresses of an infra, or of one server. */
export async function listAddresses(ask: Ask, { scope }: CallContext, server?: string): Promise<Address[]> {
  const { workspace, infra, uuid } = scope;
  const Filters = createMarkFilters({ workspace, infra, uuid, kind: 'address', name: server });
  const { Addresses = [] } = await ask((ec2, options) => ec2.describeAddresses({ Filters }, options));
  return Addresses;
}

/** Finds or creates the server's elastic address. */
export function ensureAddress(ask: Ask, server: string, context: MakeContext): Promise<Address> {
  const TagSpecifications = tagSpecification('elastic-ip', ownTags(context, 'address', server, { server }));
  return ensureSingle<Address>({
    pollMs: context.pollMs,
    signal: context.signal,
    find: () => listAddresses(ask, context, server),
    make: () => ask((ec2, options) => ec2.allocateAddress({ Domain: 'vpc', TagSpecifications }, options)),
    id: ({ AllocationId = '' }) => AllocationId,
    isUsed: ({ AssociationId }) => AssociationId !== undefined,
    remove: ({ AllocationId }) => release(ask, AllocationId),
  });
}

/** Associates the server's address with its instance, which must run. */
export async function associateAddress(ask: Ask, InstanceId: string, addresses: readonly Address[]): Promise<void> {
  const [address] = addresses;
  if (!address || address.InstanceId === InstanceId) return;
  const { AllocationId } = address;
  await ask((ec2, options) => ec2.associateAddress({ AllocationId, InstanceId, AllowReassociation: true }, options));
}

/** Releases a server's addresses. Missing addresses are ignored. */
export async function releaseAddresses(ask: Ask, addresses: readonly Address[]): Promise<void> {
  for (const { AllocationId, AssociationId } of addresses) {
    if (AssociationId) {
      await unless(
        ['InvalidAssociationID.NotFound'],
        ask((ec2, options) => ec2.disassociateAddress({ AssociationId }, options)),
      );
    }
    await release(ask, AllocationId);
  }
}

const release = (ask: Ask, AllocationId: string | undefined) =>
  unless(
    ['InvalidAllocationID.NotFound', 'InvalidAddressID.NotFound', 'InvalidAddress.NotFound'],
    ask((ec2, options) => ec2.releaseAddress({ AllocationId }, options)),
  );
