import type { InventoryServer } from '../../core/infra/inventory.js';
import { accountIn } from '../../core/machine/account.js';
import type { AnyProvider, FoundServer } from '../../core/machine/provider.js';

interface Taken {
  name: string;
  /** A provider, or one of its accounts. */
  provider: string;
  /** Default if the provider does not report it. */
  network: string;
  /** The operation that took it in, or made it. */
  since: string;
}

/** A server as the inventory has it, of which nothing is known but what its provider says. */
export function createInventoryServer(
  found: FoundServer,
  { name, provider, network, since }: Taken,
  providers: Record<string, AnyProvider>,
): InventoryServer {
  const known = providers[accountIn(provider).provider];
  const plan = [...(known?.plans ?? []), ...Object.values(known?.sizes ?? {})].find((one) => one.name === found.plan);
  return {
    name,
    provider,
    id: found.id,
    connection: found.connection,
    services: {},
    since,
    spec: {
      name,
      group: name,
      role: name,
      provider,
      plan: plan ?? known?.planNamed?.(found.plan) ?? { name: found.plan, cores: 0, memoryMiB: 0, diskGiB: 0 },
      image: found.image,
      zone: found.zone,
      labels: found.labels,
      volumes: [],
      network: found.network ?? network,
      ...(found.firewall ? { firewall: found.firewall } : {}),
      ...(found.placement ? { placement: found.placement } : {}),
      ...(found.address ? { address: found.address } : {}),
      protect: false,
    },
  };
}
