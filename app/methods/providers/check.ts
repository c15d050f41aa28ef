import { method } from '../../method.js';
import { askProvider, providerAccount } from '../../providers/ask.js';
import { accountReport } from '../../schemas/clouds.js';

export const checkProvider = method({
  name: 'providers.check',
  summary: 'Show the permissions and limits of an account',
  input: providerAccount,
  output: accountReport,
  permission: { action: 'provider:read', resource: ({ provider }) => ({ type: 'Provider', id: provider }) },
  errors: ['credentials', 'no-credentials', 'nothing-sold'],
  run: ({ engine }, { provider }) => askProvider(engine, provider, 'check'),
});
