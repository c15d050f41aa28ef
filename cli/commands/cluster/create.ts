import { defineCommand, NARROWED } from '../../command.js';
import { ensureCluster } from '../../shared/ensure.js';

export const command = defineCommand({
  options: NARROWED,
  details: 'Like apply, but removes nothing. Uses the definition of --file, or the last applied one.',
  examples: ['cluster create --file infra.yaml', 'cluster create --infra quickstart --check'],
  run: ensureCluster,
});
