import { spawn } from 'node:child_process';
import { inventories } from '../../../app/request/which-infra.js';
import { keyFolder } from '../../../app/secrets/key-folder.js';
import { jumpHostAt, jumpKeyName } from '../../../core/definition/jump-host.js';
import { inputError, unreachableError } from '../../../core/errors.js';
import { EXIT } from '../../../core/exit-codes.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { defineCommand, INFRA } from '../../command.js';
import { renderError } from '../../program/failure.js';
import { shellOn } from '../../shared/ssh.js';

/** What ssh ends with where there was no connection. A command may end so, too. */
const SSH_FAILED = 255;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const command = defineCommand({
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
    const { folder, remove } = await keyFolder(session, inventory, [name, ...jumpKeyOf(server)]);
    try {
      const { program, args } = shellOn(server, { keys: folder, interactive: session.interactive }, rest);
      await session.close();
      const code = await shell(program, args, name);
      // What ssh itself said names an address, or nothing.
      if (program === 'ssh' && code === SSH_FAILED) renderError(sshFailed(server), session.err, false);
      return code;
    } finally {
      await remove();
    }
  },
});

/** The name under which the key of the jump host before it is kept, where there is one. */
function jumpKeyOf({ connection }: InventoryServer): string[] {
  if (connection.kind !== 'ssh' || connection.jump === undefined) return [];
  const jump = jumpHostAt(connection.jump, connection.user);
  return jump ? [jumpKeyName(jump)] : [];
}

function sshFailed({ name, connection }: InventoryServer) {
  const place = connection.kind === 'ssh' ? ` (${connection.user}@${connection.address}:${connection.port})` : '';
  const through = connection.kind === 'ssh' && connection.jump ? ` through ${connection.jump}` : '';
  const why = `ssh ended with code ${SSH_FAILED}: no connection came about, or the command there ended so`;
  return unreachableError({ code: 'host-unreachable', what: 'open a shell', on: `${name}${place}${through}`, why });
}

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
      child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed)));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}
