import { testContext } from '../../../../authoring/test-environments/test-context.js';
import { defineCommand } from '../../../command.js';
import { paintFor } from '../../../program/screen.js';
import { writeDocument } from '../../../render/document.js';
import { environmentNamed } from '../../../shared/test-environments/named-environment.js';

/** Maximum number of queried operations, newest first. */
const MOST = 20;

export const command = defineCommand({
  arguments: [['<name>', 'the test environment']],
  options: [
    { flags: '--server <name>', about: 'only of this server' },
    { flags: '--taskserv <name>', about: 'only of this taskserv' },
  ],
  details: 'Shows the output of its hosts during their creation.',
  examples: ['test env logs postgres-3f9a2c', 'test env logs postgres-3f9a2c --server main'],
  async run(session, { args: [name = ''], flags: { server, taskserv } }) {
    const { infra } = await environmentNamed(session, name);
    const { workspace } = testContext(session);
    const client = await session.client();
    const operations = await client.operations.list({ workspace, infra, limit: MOST });
    const logs = await Promise.all(
      operations.map(async ({ operation }) => ({
        operation,
        entries: await client.operations.logs({ operation, server, taskserv }),
      })),
    );
    const paint = paintFor(session.out);
    const entries = logs.reverse().flatMap((one) => one.entries.map((entry) => ({ operation: one.operation, ...entry })));
    if (session.json) writeDocument(session, { environment: name, entries });
    else if (entries.length === 0) session.err.write('nothing was printed\n');
    else
      for (const entry of entries)
        session.out.write(`${paint('bold', `── ${entry.server}/${entry.taskserv}`)}\n${entry.text.replace(/\n*$/, '\n')}`);
    return 0;
  },
});
