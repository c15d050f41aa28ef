import { spawn } from 'node:child_process';
import { sh } from '../../../core/host/shell.js';
import { defineCommand, INFRA } from '../../command.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { type Application, application, unitOf, wrapAsRoot } from '../../shared/applications/applications.js';
import { askServers } from '../../shared/applications/ask-servers.js';
import { parseSince } from '../../shared/applications/since.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';
import { eachLine } from '../../ssh/host-text.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { explainNotStarted } from '../../ssh/reached-server.js';
import { shellOn } from '../../ssh/ssh.js';

const WHAT = 'read the logs';

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
  async run(session, { args: [name = ''], flags }) {
    const app = await application(session, { name, infra: flags.infra, server: flags.server }, WHAT);
    const processes = flags.process === undefined ? Object.keys(app.config.processes) : [flags.process];
    const units = processes.map((process) => `--unit=${unitOf(app, process)}`);
    const since = flags.since === undefined ? [] : [`--since=${parseSince(flags.since)}`];
    const lines = `--lines=${flags.lines ?? 100}`;
    const script = sh`exec journalctl --quiet --no-pager --utc --output=short-iso-precise ${lines} ${units} ${since}`;
    if (flags.follow) return follow(session, app, `${script} --follow`);
    const said = await askServers(session, app, script, WHAT);
    const all = [...said].flatMap(([server, text]) =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => ({ server, line })),
    );
    all.sort((a, b) => (timeOf(a.line) < timeOf(b.line) ? -1 : 1));
    if (session.json) writeDocument(session, { app: name, infra: app.inventory.infra, lines: all });
    else for (const { server, line } of all) session.out.write(`${server} ${line}\n`);
    return 0;
  },
});

const timeOf = (line: string): string => line.slice(0, 26);

/** Writes what comes from all servers, until somebody ends it or no server is left. */
async function follow(session: Session, { inventory, servers }: Application, script: string): Promise<number> {
  const { folder: keys, remove } = await prepareKeys(session, inventory, servers);
  try {
    return await runUntilSignal(async (signal) => {
      const codes = servers.map(
        (server) =>
          new Promise<number>((resolve, reject) => {
            const { program, args } = shellOn(server, { keys, interactive: false, what: WHAT }, [wrapAsRoot(server, script)]);
            const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
            signal.addEventListener('abort', () => child.kill());
            eachLine(child.stdout, (line) => session.out.write(`${server.name} ${line}\n`));
            eachLine(child.stderr, (line) => session.err.write(`${server.name} ${line}\n`));
            child.once('error', (error) => reject(explainNotStarted(error, program, WHAT, server.name)));
            child.once('close', (code) => resolve(signal.aborted ? 0 : (code ?? 1)));
          }),
      );
      return Math.max(...(await Promise.all(codes)));
    });
  } finally {
    await remove();
  }
}
