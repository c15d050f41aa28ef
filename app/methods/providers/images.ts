import { method } from '../../method.js';
import { askProvider, providerAccount } from '../../providers/ask.js';
import { images } from '../../schemas/clouds.js';

export const imagesOfProvider = method({
  name: 'providers.images',
  summary: 'List the images that an account can start servers from',
  input: providerAccount,
  output: images,
  permission: { action: 'provider:read', resource: ({ provider }) => ({ type: 'Provider', id: provider }) },
  errors: ['credentials', 'no-credentials', 'nothing-sold'],
  run: ({ engine }, { provider }) => askProvider(engine, provider, 'images'),
});
