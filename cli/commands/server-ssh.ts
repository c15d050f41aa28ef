import { spawn } from 'node:child_process';
import { inputError, unreachableError } from '../../core/errors.js';
import type { Command } from '../command.js';
import { INFRA } from '../command.js';
import { keyFolder } from '../key-folder.js';
import { shellOn } from '../ssh.js';
import { inventories } from '../which-infra.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const command: Command = {
  arguments: [['<name>', 'the server']],
  options: [INFRA],
  details: "Uses the system's ssh with the infra's key and the pinned host key. Ends with the exit code of what ran there.",
  examples: ['server ssh web-1', 'server ssh web-1 -- systemctl status nginx'],
  async run(session, { args: [name = ''], flags, rest }) {
    const found = (await inventories(session, flags.infra)).filter(({ servers }) => servers[name]);
    const [inventory] = found;
    const server = inventory?.servers[name];
    if (!inventory || !server || found.length > 1) {
      const why = server
        ? `the infras ${found.map(({ infra }) => `"${infra}"`).join(' and ')} have one of this name`
        : 'there is none of this name';
      const hint = server ? 'say which with --infra NAME' : 'provisioning server list';
      throw inputError({ code: 'unknown-server', what: 'open a shell', on: name, why, hint });
    }
    const { folder, remove } = await keyFolder(session, inventory, name);
    try {
      const { program, args } = shellOn(server, { keys: folder, interactive: session.interactive }, rest);
      await session.close();
      return await shell(program, args, name);
    } finally {
      await remove();
    }
  },
};

/** Runs it to its end. What ends us ends it first: the key that was brought for it has to go. */
async function shell(program: string, args: string[], on: string): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        const why = error.code === 'ENOENT' ? `there is no "${program}" on this machine` : error.message;
        reject(unreachableError({ code: 'no-ssh', what: 'open a shell', on, why, hint: 'install an OpenSSH client' }));
      });
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}
