import { isOutdated } from '../../../app/versions/service-versions.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { ANSWER_TIME, exitCodeOfVersions, lookAtVersions, today, versionsTable } from '../../shared/versions/versions.js';

export const command = defineCommand({
  arguments: [['[name]', 'a taskserv (default: all taskservs)']],
  options: [{ ...INFRA, about: 'only of this infra' }, ANSWER_TIME],
  details:
    'Checks the hosts and compares running versions with the versions that this release supports and, for Debian packages, with the package lists of each host. Exit code 0 if everything is current, 1 if there are newer versions, 3 if a host did not answer.',
  examples: ['taskserv outdated', 'taskserv outdated redis --infra shop', 'taskserv outdated --json'],
  async run(session, { args: [name], flags }) {
    const looked = await lookAtVersions(session, await inventories(session, flags.infra), {
      ...(name !== undefined && { taskserv: name }),
      timeout: flags.timeout,
    });
    const services = looked.filter((one) => one.why !== undefined || isOutdated(one, today()));
    if (session.json) writeDocument(session, { services });
    else session.out.write(versionsTable(services, 'nothing is outdated', paintFor(session.out)));
    return exitCodeOfVersions(looked);
  },
});
