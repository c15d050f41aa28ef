import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readContextSetting } from '../../authoring/settings/config-place.js';
import type { Client } from '../../client/client.js';
import { inputError } from '../../core/errors.js';
import { defineCommand } from '../command.js';
import { checkPlace } from '../program/needs-this-machine.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { runUntilSignal } from '../ssh/ended-by-signals.js';

/** Logs that do not belong to an operation, with their files. */
const OWN: Readonly<Record<string, string>> = { engine: 'temporal.log', worker: 'worker.log', api: 'api.log' };

export const command = defineCommand({
  arguments: [['<operation>', 'id of an operation, or "engine", "worker" or "api"']],
  options: [
    { flags: '--server <name>', about: 'only of this server' },
    { flags: '--taskserv <name>', about: 'only of this taskserv' },
    { flags: '--follow', about: 'show the output as it comes, until the operation ends' },
    { flags: '--lines <count>', about: 'number of lines, for engine, worker and API server (default: 200)', number: true },
  ],
  examples: [
    'logs cluster-ensure-quickstart-mf3k2p9x4af1 --server hub',
    'logs cluster-ensure-quickstart-mf3k2p9x4af1 --follow',
    'logs worker --lines 50',
  ],
  async run(session, { args: [name = ''], flags }) {
    const { server, taskserv } = flags;
    const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
    if (own !== undefined) {
      checkPlace(`logs ${name}`, session);
      const lines = flags.lines ?? (await readContextSetting(session, 'output.logLines'));
      return printOwn(session, name, join(session.home.logs, own), lines ?? 200);
    }
    const client = await session.client();
    if (flags.follow) return followOutput(session, client.operations.followLogs, { operation: name, server, taskserv });
    const entries = await client.operations.logs({ operation: name, server, taskserv });
    // Throws if the operation does not exist.
    if (entries.length === 0) await client.operations.progress({ operation: name });
    if (session.json) {
      writeDocument(session, { operation: name, entries });
      return 0;
    }
    if (entries.length === 0) session.err.write('nothing was printed\n');
    const paint = paintFor(session.out);
    for (const entry of entries) {
      session.out.write(`${paint('bold', `── ${entry.server}/${entry.taskserv}`)}\n${entry.text.replace(/\n*$/, '\n')}`);
    }
    return 0;
  },
});

/** Prints the output of an operation until it ends. With --json, each event is one line. */
async function followOutput(
  session: Session,
  follow: Client['operations']['followLogs'],
  asked: Parameters<Client['operations']['followLogs']>[0],
): Promise<number> {
  const paint = paintFor(session.out);
  let shown = '';
  return runUntilSignal(async (signal) => {
    for await (const event of follow(asked, { signal })) {
      if (session.json) {
        session.out.write(`${JSON.stringify(event)}\n`);
        continue;
      }
      const unit = `${event.server}/${event.taskserv}`;
      if (unit !== shown || event.again) session.out.write(`${paint('bold', `── ${unit}`)}${event.again ? ' again' : ''}\n`);
      shown = unit;
      session.out.write(event.text);
    }
    return 0;
  });
}

async function printOwn(session: Session, name: string, path: string, lines: number): Promise<number> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'the log does not exist yet' : `it cannot be read (${code})`;
    throw inputError({ code: 'no-log', what: `read the log of the ${name}`, on: path, why, hint: 'provisioning up starts it' });
  }
  const last = text.trimEnd().split('\n').slice(-lines);
  if (session.json) writeDocument(session, { log: name, path, lines: last });
  else session.out.write(`${last.join('\n')}\n`);
  return 0;
}
