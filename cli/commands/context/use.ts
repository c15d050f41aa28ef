import { unknownContext } from '../../../client/http/connection.js';
import { findContext, THIS_MACHINE, useContext } from '../../../home/contexts/contexts.js';
import { defineCommand } from '../../command.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<name>', 'name of the context, or `local` for the engine of this machine']],
  details: 'All commands of this home then ask the server of the context, unless they name another one.',
  examples: ['context use prod', 'context use local'],
  async run(session, { args: [name] }) {
    const isHere = name === THIS_MACHINE;
    const found = isHere ? undefined : findContext(session.home, name);
    if (!isHere && !found) throw unknownContext(session.home, name);
    useContext(session.home, isHere ? undefined : name);
    if (session.json) writeDocument(session, { context: name, ...(found && { server: found.server }) });
    else session.out.write(`commands ask ${found ? found.server : 'the engine of this machine'}\n`);
    return 0;
  },
});
