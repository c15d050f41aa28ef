import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { tableOf } from '../../render/inventory.js';
import { application, releasesIn, releasesScript, unitOf } from '../../shared/applications/applications.js';
import { askServers } from '../../shared/applications/ask-servers.js';

const WHAT = 'list the releases';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [INFRA],
  details: 'Queries each server for its releases, their arrival, and the start of the running release.',
  examples: ['app releases shop'],
  async run(session, { args: [name = ''], flags }) {
    const app = await application(session, { name, infra: flags.infra }, WHAT);
    const said = await askServers(session, app, releasesScript(app, unitOf(app)), WHAT);
    const rows = [...said].flatMap(([server, text]) => releasesIn(server, text));
    if (session.json) writeDocument(session, { app: name, infra: app.inventory.infra, releases: rows });
    else {
      const cells = rows.map(({ server, release, there, since }) => [server, release, there, since ?? '']);
      session.out.write(tableOf(['SERVER', 'RELEASE', 'THERE SINCE', 'RUNS SINCE'], cells, 'no releases', paintFor(session.out)));
    }
    return 0;
  },
});
