import { method } from '../../method.js';
import { askProvider, providerAccount } from '../../providers/ask.js';
import { sold } from '../../schemas/clouds.js';

export const plansOfProvider = method({
  name: 'providers.plans',
  summary: 'List the plans that an account can buy, with prices',
  input: providerAccount,
  output: sold,
  permission: { action: 'provider:read', resource: ({ provider }) => ({ type: 'Provider', id: provider }) },
  errors: ['credentials', 'no-credentials', 'nothing-sold'],
  run: ({ engine }, { provider }) => askProvider(engine, provider, 'plans'),
});
