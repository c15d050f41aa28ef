import * as z from 'zod';
import { loadModules } from '../../../core/registry.js';
import { registries } from '../../../definition/registries/registries.js';
import { method } from '../../method.js';
import { catalogResource, listedProvider } from '../../schemas/catalog.js';

export const listProviders = method({
  name: 'providers.list',
  summary: 'List the providers of the platform with their sizes, regions, features and images',
  input: z.strictObject({}),
  output: z.array(listedProvider),
  permission: { action: 'catalog:read', resource: catalogResource },
  errors: [],
  async run() {
    const providers = await loadModules((await registries()).providers);
    return Object.values(providers)
      .map(({ name, description, sizes, regions, features, images }) => ({
        name,
        description,
        sizes: Object.fromEntries(Object.entries(sizes).map(([size, plan]) => [size, plan.name])),
        regions: Object.keys(regions ?? {}),
        features: [...(features ?? [])],
        images: [...images.supported],
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
});
