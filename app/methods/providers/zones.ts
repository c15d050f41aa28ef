import { method } from '../../method.js';
import { askProvider, providerAccount } from '../../providers/ask.js';
import { zones } from '../../schemas/clouds.js';

export const zonesOfProvider = method({
  name: 'providers.zones',
  summary: 'List the zones that an account can use',
  input: providerAccount,
  output: zones,
  permission: { action: 'provider:read', resource: ({ provider }) => ({ type: 'Provider', id: provider }) },
  errors: ['credentials', 'no-credentials', 'nothing-sold'],
  run: ({ engine }, { provider }) => askProvider(engine, provider, 'zones'),
});
