import { defineCommand, NARROW_OPTIONS } from '../../command.js';
import { createCluster, TEMPLATE_OPTIONS } from '../../shared/clusters/create-cluster.js';

export const command = defineCommand({
  arguments: [['[name]', 'an infra of the workspace, otherwise a template (default: the infra of --file or --infra)']],
  options: [...TEMPLATE_OPTIONS, ...NARROW_OPTIONS],
  details:
    'An infra is applied without removing anything: its file in infra/ of the workspace, the file of --file, or the last applied definition. A template makes a new infra: the command writes its definition to infra/NAME.yaml, shows it with the steps, and applies it. It never overwrites a file. If you decline, or if the operation is rolled back completely, it removes the file again. If an infra and a template have the name, the command fails. --infra names the infra, and --name names the new infra of the template.',
  examples: [
    'cluster create web --name shop --provider hetzner --size medium',
    'cluster create postgresql --name data --set database=shop --check',
    'cluster create shop',
    'cluster create --file infra.yaml',
  ],
  run: createCluster,
});
