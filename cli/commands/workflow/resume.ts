import { controlCommand } from '../../shared/control.js';

export const command = controlCommand({
  did: 'resumed',
  details:
    'Continues a paused operation, or one that asks about an unsigned cancel. Follows it to its end, unless --no-wait is given.',
  examples: ['workflow resume OPERATION', 'workflow resume OPERATION --no-wait'],
  act: (client, operation, why) => client.operations.resume({ operation, why }),
  follows: true,
});
