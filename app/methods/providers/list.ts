import * as z from 'zod';
import { loadModules } from '../../../core/registry.js';
import { registries } from '../../../definition/registries/registries.js';
import { list, namedFields } from '../../lists/page.js';
import { pageByKey } from '../../lists/page-by-key.js';
import { readAccounts } from '../../providers/read-accounts.js';
import { catalogResource, listedProvider } from '../../schemas/catalog.js';

export const listProviders = list({
  name: 'providers.list',
  summary: 'List the providers of the platform with their accounts, sizes, regions, features and images',
  input: z.strictObject(namedFields),
  item: listedProvider,
  pages: {},
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run({ engine }, asked) {
    const providers = await loadModules((await registries()).providers);
    const known = await readAccounts(engine);
    const all = await Promise.all(
      Object.values(providers).map(async (provider) => {
        const { name, description, sizes, regions, features, images } = provider;
        return {
          name,
          description,
          accounts: await known(provider),
          sizes: Object.fromEntries(Object.entries(sizes).map(([size, plan]) => [size, plan.name])),
          regions: Object.keys(regions ?? {}),
          features: [...(features ?? [])],
          images: [...images.supported],
        };
      }),
    );
    return pageByKey(['providers.list'], all, { asked, keyOf: ({ name }) => name });
  },
});
