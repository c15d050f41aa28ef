import { readContextSetting } from '../../authoring/settings/config-place.js';
import { inputError } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import { defineCommand, INFRA } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { hostRunDocument, isFailed, renderHostRuns } from '../render/host-runs.js';
import { runUntilSignal } from '../ssh/ended-by-signals.js';
import { prepareKeys } from '../ssh/keys-of.js';
import { type HostRun, runOnAll } from '../ssh/run-on-all.js';
import { selectServers } from '../ssh/selected-servers.js';
import { shellOn } from '../ssh/ssh.js';

const WHAT = 'run the command';

/** Number of servers in parallel. */
const PARALLEL = 10;

export const command = defineCommand({
  arguments: [['[names]', 'servers, comma-separated: a name, the name of a server with a count, role=ROLE, or all']],
  options: [
    INFRA,
    { flags: '--role <role>', about: 'only servers of this role' },
    { flags: '--taskserv <names>', about: 'only servers with one of these taskservs, comma-separated' },
    { flags: '--parallel <count>', about: `number of servers at a time (default: ${PARALLEL})`, number: true },
    { flags: '--timeout <seconds>', about: 'time limit per server (default: no limit)', number: true },
  ],
  details:
    "Runs the words after -- on servers in parallel with the system's ssh. One word is a shell command line; several words are passed on unchanged. The command gets no input. Servers with the same output are shown together; 256 KiB of each output are kept. Exit code 0 if the command succeeded everywhere, 1 if it failed on a server, 3 if a server was not reached.",
  examples: [
    'exec web -- uptime',
    'exec all --parallel 50 -- "df -h / | tail -1"',
    'exec --taskserv redis -- systemctl is-active redis-server',
  ],
  async run(session, { args: [selector], flags, rest }) {
    if (rest.length === 0) {
      const why = 'the command is missing: write it after --';
      throw inputError({ code: 'bad-arguments', what: WHAT, why, hint: 'provisioning exec web -- uptime' });
    }
    const parallel = flags.parallel ?? (await readContextSetting(session, 'exec.parallel')) ?? PARALLEL;
    const timeoutS = flags.timeout ?? (await readContextSetting(session, 'exec.timeout'));
    const { inventory, servers } = await selectServers(session, { selector, ...flags }, WHAT);
    const { folder: keys, remove } = await prepareKeys(session, inventory, servers);
    try {
      // Report servers that ssh cannot reach before anything runs.
      for (const server of servers) shellOn(server, { keys, interactive: false, what: WHAT }, rest);
      return await runUntilSignal(async (signal) => {
        const done = progressOf(session, servers.length);
        const runs = await runOnAll(servers, { keys, what: WHAT, parallel, timeoutS, signal, done }, rest);
        if (session.out.live && !session.json) session.out.control('\r\u001b[K');
        if (session.json) writeDocument(session, { infra: inventory.infra, servers: runs.map(hostRunDocument) });
        else renderHostRuns(runs, session.out);
        return signal.aborted ? EXIT.interrupted : exitCodeOf(runs);
      });
    } finally {
      await remove();
    }
  },
});

/** Shows on a terminal how many servers are done. */
function progressOf({ out, json }: Session, all: number): () => void {
  let count = 0;
  const say = () => {
    if (out.live && !json) out.control(`\r\u001b[K${count} of ${all} servers …`);
  };
  say();
  return () => {
    count++;
    say();
  };
}

function exitCodeOf(runs: readonly HostRun[]): number {
  if (runs.some(({ reached }) => !reached)) return EXIT.notReached;
  return runs.some(isFailed) ? EXIT.failed : EXIT.done;
}
