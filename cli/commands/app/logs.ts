import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand, INFRA } from '../../command.js';
import { writeDocument } from '../../render/document.js';
import { findInfra, listServers } from '../../shared/applications/applications.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';

export const command = defineCommand({
  arguments: [['<name>', 'the application']],
  options: [
    INFRA,
    { flags: '--server <names>', about: 'only of these servers, comma-separated' },
    { flags: '--process <name>', about: 'only of this process (default: all)' },
    { flags: '--since <time>', about: 'start time: 30m, 2h, or any time that journalctl accepts, such as "2026-11-26 08:00"' },
    { flags: '--lines <count>', about: 'number of lines per server (default: 100)', number: true },
    { flags: '--follow', about: 'keep printing new lines' },
  ],
  details: 'Prints the journal of the processes on all servers, sorted by time. Times are UTC.',
  examples: ['app logs shop', 'app logs shop --process worker --since 1h', 'app logs shop --follow'],
  async run(session, { args: [name = ''], flags: { infra: named, server, process, since, lines, follow } }) {
    const infra = await findInfra(session, { name, infra: named }, 'read the logs');
    const { applications } = await session.client();
    const asked = {
      ...{ workspace: session.workspace, infra, application: name },
      ...(server !== undefined && { servers: listServers(server) }),
      ...(process !== undefined && { process }),
      ...(since !== undefined && { since }),
      ...(lines !== undefined && { lines }),
      ...(follow && { follow }),
    };
    return runUntilSignal(async (signal) => {
      const read: object[] = [];
      let code: number = EXIT.done;
      for await (const event of applications.logs(asked, { signal })) {
        if ('problem' in event) {
          session.err.write(`${event.server} ${event.problem}\n`);
          code = EXIT.failed;
        } else if (session.json && !follow) read.push(event);
        else session.out.write(`${event.server} ${event.line}\n`);
      }
      if (session.json && !follow && !signal.aborted) writeDocument(session, { app: name, infra, lines: read });
      return signal.aborted ? EXIT.done : code;
    });
  },
});
