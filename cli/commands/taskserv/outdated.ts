import { answersWithinMs } from '../../../authoring/request/live-status.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { ANSWER_TIME, versionsTable } from '../../shared/versions/versions.js';

export const command = defineCommand({
  arguments: [['[name]', 'a taskserv (default: all taskservs)']],
  options: [{ ...INFRA, about: 'only of this infra' }, ANSWER_TIME],
  details:
    'Checks the hosts and compares running versions with the versions that this release supports and, for Debian packages, with the package lists of each host. Exit code 0 if everything is current, 1 if there are newer versions, 3 if a host did not answer.',
  examples: ['taskserv outdated', 'taskserv outdated redis --infra shop', 'taskserv outdated --json'],
  async run(session, { args: [name], flags }) {
    const all = await inventories(session, flags.infra);
    const client = await session.client();
    const withinMs = await answersWithinMs(session, flags.timeout);
    const asked = { workspace: session.workspace, withinMs, ...(name !== undefined && { taskserv: name }) };
    const services = (await Promise.all(all.map(({ infra }) => client.taskservs.outdated({ ...asked, infra })))).flat();
    if (session.json) writeDocument(session, { services });
    else session.out.write(versionsTable(services, 'nothing is outdated', paintFor(session.out)));
    // As in `npm outdated`, and 3 if a host did not answer.
    if (services.some(({ why }) => why !== undefined)) return EXIT.notReached;
    return services.length > 0 ? EXIT.failed : EXIT.done;
  },
});
