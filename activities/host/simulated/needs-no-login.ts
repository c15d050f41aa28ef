import type { ProviderConnection } from '../../../core/machine/provider.js';

/** Whether hosts of a provider are simulated: they need no keys, and one that runs lets us in. */
export const needsNoLogin = ({ host }: Pick<ProviderConnection, 'host'>): boolean => host !== undefined;
