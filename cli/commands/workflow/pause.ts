import { controlCommand } from '../../shared/control.js';

export const command = controlCommand({
  did: 'paused',
  details:
    'Nothing new begins until it is resumed, be it after days; a script at work on a host ends between two steps. It keeps its locks. A cancel ends the pause.',
  examples: ['workflow pause OPERATION --reason "the shop is busy"'],
  act: (client, operation, why) => client.operations.pause({ operation, why }),
});
