import { topologiesFor } from '../../../../authoring/test-environments/topology.js';
import { defineCommand } from '../../../command.js';
import { columns, paintFor } from '../../../program/screen.js';
import { writeDocument } from '../../../render/document.js';

export const command = defineCommand({
  details:
    'Lists the built-in topologies, and the topologies of the workspace (in its folder `topologies`), which take precedence.',
  examples: ['test topology list'],
  async run(session) {
    const all = await topologiesFor(session);
    const topologies = all.map(({ name, description, builtIn, unavailable }) => ({ name, description, builtIn, unavailable }));
    const paint = paintFor(session.out);
    if (session.json) writeDocument(session, { topologies });
    else {
      const rows = topologies.map(({ name, description, builtIn, unavailable }) => {
        const note = unavailable === undefined ? '' : paint('yellow', ` (not available: ${unavailable})`);
        return [name, builtIn ? 'built in' : 'workspace', `${description}${note}`];
      });
      session.out.write(`${columns(rows).join('\n')}\n`);
    }
    return 0;
  },
});
