import { defineCommand, NARROW_OPTIONS, UPDATE } from '../../command.js';
import { ensureCluster } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[infra]', 'an infra that was applied before (default: the infra of --file or --infra)']],
  options: [...NARROW_OPTIONS, ...UPDATE],
  details: 'Like apply, but removes nothing. Uses the definition of --file, or the last applied one.',
  examples: ['cluster update --file infra.yaml', 'cluster update quickstart --check'],
  run: ensureCluster,
});
