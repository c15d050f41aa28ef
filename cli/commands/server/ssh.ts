import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand, INFRA } from '../../command.js';
import { renderError } from '../../program/failure.js';
import type { Session } from '../../program/session.js';
import { startShell } from '../../ssh/host-text.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { explainNotStarted, findReachedServer, SSH_EXIT, sshFailed } from '../../ssh/reached-server.js';
import { OPEN_A_SHELL, shellOn } from '../../ssh/ssh.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const command = defineCommand({
  arguments: [['<name>', 'the server']],
  options: [INFRA],
  details:
    "Uses the system's ssh with the infra's key and the pinned host key. The exit code is the exit code of the remote command.",
  examples: ['server ssh web-1', 'server ssh web-1 -- systemctl status nginx'],
  async run(session, { args: [name = ''], flags, rest }) {
    const { inventory, server } = await findReachedServer(session, { name, infra: flags.infra }, OPEN_A_SHELL);
    const { folder, remove } = await prepareKeys(session, inventory, [server]);
    try {
      const { program, args } = shellOn(server, { keys: folder, interactive: session.interactive }, rest);
      const code = await shell(session, { program, args }, { terminal: rest.length === 0, on: name });
      if (program === 'ssh' && code === SSH_EXIT) {
        const why = `ssh ended with code ${SSH_EXIT}: the connection failed, or the remote command returned this code`;
        renderError(sshFailed(server, OPEN_A_SHELL, why), session.err, false);
      }
      return code;
    } finally {
      await remove();
    }
  },
});

/** Runs the shell to its end. A signal to this process ends the shell first, so that its temporary key is removed. */
async function shell(
  session: Session,
  started: { program: string; args: string[] },
  { terminal, on }: { terminal: boolean; on: string },
): Promise<number> {
  const child = startShell(session, started, { terminal });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(explainNotStarted(error, started.program, OPEN_A_SHELL, on)));
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed)));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}
