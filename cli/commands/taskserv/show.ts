import { registriesFor } from '../../../authoring/modules/registries.js';
import { loadModules } from '../../../core/registry.js';
import { taskservIn } from '../../../core/taskserv/instances.js';
import { describeTaskserv } from '../../../definition/description/describe-taskserv.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { taskservText } from '../../render/taskserv.js';
import { taskservNamed } from '../../shared/taskserv-named.js';

export const command = defineCommand({
  arguments: [['<name>', 'a taskserv, installed or not']],
  details:
    'Shows versions, related taskservs, ports, the fields of the configuration, and an example definition. `provisioning help NAME` shows the same unless a command has this name. `taskserv list --available` lists all taskservs.',
  examples: ['taskserv show redis', 't show postgres --json'],
  async run(session, { args: [name] }) {
    const { taskservs } = await registriesFor(session);
    const taskserv = await taskservNamed(taskservs, taskservIn(name)).load();
    const together = (taskserv.after ?? []).filter((one) => Object.hasOwn(taskservs, one));
    const described = describeTaskserv(taskserv, Object.values(await loadModules(taskservs, together)));
    if (session.json) writeDocument(session, described);
    else session.out.write(await taskservText(described, { paint: paintFor(session.out), columns: session.out.columns() }));
    return 0;
  },
});
