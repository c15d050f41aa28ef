import { debianVersions, keyValueService } from '../../sdk/index.js';

/** Key-value store kept in memory, under a free license. */
export const valkey = keyValueService({
  name: 'valkey',
  description: 'Key-value store kept in memory that serves clients of redis.',
  versions: debianVersions({ 12: null, 13: '8.1' }),
  conflicts: ['redis'],
});
