import { liveServices } from '../../../../app/infra/live-services.js';
import { liveStatus } from '../../../../authoring/request/live-status.js';
import { inventories } from '../../../../authoring/request/which-infra.js';
import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { EXIT } from '../../../../core/exit-codes.js';
import { defineCommand } from '../../../command.js';
import { paintFor } from '../../../program/screen.js';
import { writeDocument } from '../../../render/document.js';
import { serversOf, serverTable } from '../../../render/inventory.js';
import { liveServiceTable } from '../../../render/status.js';
import { environmentDocument } from '../../../shared/test-environments/environment-document.js';
import { environmentNamed } from '../../../shared/test-environments/named-environment.js';

export const command = defineCommand({
  arguments: [['<name>', 'the test environment']],
  details: 'Checks the hosts and shows the state of the services. Exit code 1 if a service is not healthy.',
  examples: ['test env status postgres-3f9a2c'],
  async run(session, { args: [name = ''] }) {
    const environment = await environmentNamed(session, name);
    const inTests = testContext(session);
    const infras = (await (await session.client()).infras.list({ workspace: inTests.workspace })).includes(name);
    const found = infras ? await inventories(inTests, name) : [];
    const services = liveServices(await liveStatus(inTests, found, { clouds: false }));
    const paint = paintFor(session.out);
    if (session.json) writeDocument(session, { ...environmentDocument(environment), services });
    else {
      const { type, about, expires, ending } = environment;
      session.out.write(`${paint('bold', name)}: ${type} ${about}, ${ending ?? `removed at the latest at ${expires}`}\n`);
      session.out.write(`${serverTable(serversOf(found), paint)}\n${liveServiceTable(services, paint)}`);
    }
    return services.every(({ state }) => state === 'healthy' || state === 'differs') ? EXIT.done : EXIT.failed;
  },
});
