import { DEFINITION_INPUT, defineCommand, OPERATION, UPDATE } from '../../command.js';
import { scaleCluster } from '../../shared/clusters/scale-cluster.js';

export const command = defineCommand({
  arguments: [
    ['<infra>', 'an infra'],
    ['[groups...]', 'numbers of servers, each as GROUP=NUMBER: web=5'],
  ],
  options: [
    { flags: '--set <name=value>', about: 'value for a parameter of its template; can be repeated', repeated: true },
    { flags: '--size <size>', about: 'size of its template, such as small, medium or large' },
    ...OPERATION,
    ...UPDATE,
    { flags: '--file <file>', about: 'definition file (default: the file in infra/, otherwise the last applied file)' },
    ...DEFINITION_INPUT,
  ],
  details:
    'Changes the definition file, shows the change with the steps, asks for confirmation, and applies the file as `apply` does. Comments in the file stay. Fewer servers means that the last ones are deleted, which needs a second confirmation or --allow-destroy. A server without a count keeps its name, so it cannot be scaled. A value is an error if the template does not allow it, or if an overlay of the environment or a variable determines it. The infra keeps the environment in which it is applied: a file in infra/ needs the same --env. If you decline, or if the operation is rolled back completely, the file gets its former text again.',
  examples: ['cluster scale shop web=5', 'cluster scale shop --set count=5 --check', 'cluster scale shop --size large'],
  run: (session, { args: [infra, ...groups], flags }) => scaleCluster(session, infra, groups, flags),
});
