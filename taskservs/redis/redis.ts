import { debianVersions, keyValueService } from '../../sdk/index.js';

/** Key-value store kept in memory. */
export const redis = keyValueService({
  name: 'redis',
  description: 'Key-value store kept in memory.',
  versions: debianVersions({ 12: '7.0', 13: '8.0' }),
});
