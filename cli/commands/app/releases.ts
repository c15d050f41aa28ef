import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';
import { findInfra } from '../../shared/applications/applications.js';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [INFRA],
  details: 'Queries each server for its releases, their arrival, and the start of the running release.',
  examples: ['app releases shop'],
  async run(session, { args: [name = ''], flags }) {
    const infra = await findInfra(session, { name, infra: flags.infra }, 'list the releases');
    const client = await session.client();
    const rows = await client.applications.releases({ workspace: session.workspace, infra, application: name });
    if (session.json) writeDocument(session, { app: name, infra, releases: rows });
    else {
      const cells = rows.map(({ server, release, there, since }) => [server, release, there, since ?? '']);
      session.out.write(
        renderTable(['SERVER', 'RELEASE', 'THERE SINCE', 'RUNS SINCE'], cells, 'no releases', paintFor(session.out)),
      );
    }
    return 0;
  },
});
