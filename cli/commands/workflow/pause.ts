import { controlCommand } from '../../shared/control.js';

export const command = controlCommand({
  did: 'paused',
  details:
    'No new step starts until the operation is resumed, even days later; a script that runs on a host stops between two steps. The operation keeps its locks. A cancel ends the pause.',
  examples: ['workflow pause OPERATION --reason "the shop is busy"'],
  act: (client, operation, why) => client.operations.pause({ operation, why }),
});
