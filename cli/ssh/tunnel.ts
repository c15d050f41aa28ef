import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { addAbortListener, once } from 'node:events';
import { createServer } from 'node:net';
import { inputError } from '../../core/errors.js';
import { EXIT } from '../../core/exit-codes.js';
import type { InventoryServer } from '../../core/infra/inventory.js';
import { eachLine } from './host-text.js';
import { explainNotStarted, sshFailed } from './reached-server.js';
import { endGroup, formatSayOptions, OWN_CONNECTION, plainShell } from './run-there.js';
import { shellOn } from './ssh.js';
import { OPEN_A_TUNNEL, type Target } from './tunnel-target.js';

const HERE = '127.0.0.1';

interface Tunnel {
  server: InventoryServer;
  keys: string;
  target: Target;
  localPort: number;
  /** Ends the tunnel. */
  signal: AbortSignal;
  /** Called once the tunnel can be used. */
  ready(): void;
  /** Receives each error line of ssh or the host. */
  complain(line: string): void;
}

/**
 * Checks that a local port is free.
 *
 * @throws an input error `port-taken` if the port is in use or not permitted
 */
export async function checkFree(port: number, again: string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host: HERE, port, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE' ? 'another program uses this port' : code === 'EACCES' ? 'only root can use ports below 1024' : message;
    const hint = `choose another port: ${again} ${port < 10_000 ? port + 10_000 : port - 1}`;
    throw inputError({ code: 'port-taken', what: OPEN_A_TUNNEL, on: `${HERE}:${port}`, why, hint });
  } finally {
    probe.close();
  }
}

/**
 * Keeps a tunnel open until it is ended or ssh ends.
 *
 * @returns the exit code: interrupted
 * @throws an error `host-unreachable` if the tunnel cannot be opened, or breaks
 */
export async function holdTunnel({ server, keys, target, localPort, signal, ready, complain }: Tunnel): Promise<number> {
  const mark = `ready-${randomUUID()}`;
  const forward = `${HERE}:${localPort}:${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const options = ['-N', '-T', ...OWN_CONNECTION, '-o', 'ExitOnForwardFailure=yes', ...formatSayOptions(mark)];
  const { program, args } = shellOn(server, { keys, interactive: false, what: OPEN_A_TUNNEL, options, forward }, []);
  // Messages of ssh about rejected connections are shown to the user. ssh gets its own process group. Ctrl-C then
  // reaches this process first, so that it knows why ssh ends.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: plainShell(), detached: true });
  eachLine(child.stderr, complain);
  const stop = () => endGroup(child.pid, 'SIGTERM');
  const listening = addAbortListener(signal, stop);
  let said = '';
  let isReady = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (isReady) return;
    said = (said + chunk.toString('utf8')).slice(0, 1024);
    if (!said.startsWith(`${mark}\n`)) return;
    isReady = true;
    ready();
  });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', (error) => reject(explainNotStarted(error, program, OPEN_A_TUNNEL, server.name)));
      child.once('close', resolve);
    });
    if (signal.aborted) return EXIT.interrupted;
    const why = isReady ? `the connection ended (ssh: code ${code})` : `ssh ended with code ${code} before it was ready`;
    throw sshFailed(server, OPEN_A_TUNNEL, why);
  } finally {
    listening[Symbol.dispose]();
  }
}
