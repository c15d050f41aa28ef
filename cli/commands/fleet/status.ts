import { defineCommand } from '../../command.js';
import { showFleet } from '../../shared/fleet.js';

export const command = defineCommand({
  details: 'Shows the worker builds, the build for new operations, and how many operations run on each. See docs/operate/fleet.md.',
  async run(session) {
    showFleet(session, await (await session.client()).fleet.status({}));
    return 0;
  },
});
