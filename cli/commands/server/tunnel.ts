import { inputError } from '../../../core/errors.js';
import { EXIT, exitCodeOfError } from '../../../core/exit-codes.js';
import type { InventoryServer } from '../../../core/infra/inventory.js';
import { tunnelPort } from '../../../core/machine/tunnel.js';
import { defineCommand, INFRA } from '../../command.js';
import { detailsOf, renderError } from '../../program/failure.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { runUntilSignal } from '../../ssh/ended-by-signals.js';
import { prepareKeys } from '../../ssh/keys-of.js';
import { findReachedServer } from '../../ssh/reached-server.js';
import { checkFree, holdTunnel } from '../../ssh/tunnel.js';
import { findListeningAddress, findNamedPort, OPEN_A_TUNNEL, parsePort, type Target } from '../../ssh/tunnel-target.js';

export const command = defineCommand({
  arguments: [
    ['<name>', 'the server'],
    ['<port>', 'port of the server, or a taskserv: postgres, haproxy/stats'],
    ['[local-port]', 'port of this machine (default: the same; 8000 more for ports below 1024)'],
  ],
  options: [INFRA],
  details:
    "Forwards a port of 127.0.0.1 to a port that only the server or its private network reaches. Uses the system's ssh with the infra's key and the pinned host key. Prints the local address as soon as it works, and stays until Ctrl-C.",
  examples: ['server tunnel hub 5432', 'server tunnel hub postgres 15432', 'server tunnel hub haproxy/stats --infra shop'],
  async run(session, { args: [name = '', asked = '', local], flags }) {
    const { inventory, server } = await findReachedServer(session, { name, infra: flags.infra }, OPEN_A_TUNNEL);
    const named = findNamedPort(inventory, name, asked);
    if (server.connection.kind === 'this') {
      const why = `the server is this machine: port ${named.port} is already local`;
      throw inputError({ code: 'this-machine', what: OPEN_A_TUNNEL, on: name, why });
    }
    const localPort = local === undefined ? tunnelPort(named.port) : parsePort(local);
    if (localPort === undefined) {
      const why = `the local port is not a number from 1 to 65535: ${local}`;
      throw inputError({ code: 'bad-arguments', what: OPEN_A_TUNNEL, on: name, why, hint: 'provisioning help server tunnel' });
    }
    await checkFree(localPort, `provisioning server tunnel ${name} ${asked}`);
    const { folder: keys, remove } = await prepareKeys(session, inventory, [server]);
    try {
      return await runUntilSignal((signal) => lead(session, server, { named, localPort, keys, signal }));
    } finally {
      await remove();
    }
  },
});

interface Way {
  named: Omit<Target, 'host'>;
  localPort: number;
  keys: string;
  signal: AbortSignal;
}

/** Finds the listening address, opens the tunnel, reports it, and waits. */
async function lead(session: Session, server: InventoryServer, { named, localPort, keys, signal }: Way): Promise<number> {
  let isReady = false;
  try {
    const target = { ...named, host: await findListeningAddress(server, named.port, { keys, signal }) };
    const ready = () => {
      isReady = true;
      showReady(session, server.name, target, localPort);
    };
    const complain = (line: string) => session.err.write(`${line}\n`);
    return await holdTunnel({ server, keys, target, localPort, signal, ready, complain });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    // The document has already been printed.
    if (!isReady) throw error;
    renderError(error, session.err, session.verbose);
    return exitCodeOfError(detailsOf(error));
  }
}

function showReady(session: Session, server: string, target: Target, localPort: number): void {
  const at = { address: '127.0.0.1', port: localPort };
  const url = target.path === undefined ? undefined : `http://${at.address}:${at.port}${target.path}`;
  if (session.json) {
    writeDocument(session, { server, ...target, local: { ...at, ...(url ? { url } : {}) } });
    return;
  }
  const what = target.what === undefined ? `port ${target.port}` : `${target.what} (port ${target.port})`;
  session.out.write(`${url ?? `${at.address}:${at.port}`} leads to ${what} on ${server}; Ctrl-C ends it\n`);
}
