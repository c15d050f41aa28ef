import { spawn } from 'node:child_process';
import { type AddressInfo, connect } from 'node:net';
import ssh2, { type ServerChannel } from 'ssh2';
import { makePair } from '../../stores/key-pair.js';

export interface SshHost {
  port: number;
  /** Maximum number of open channels, for each connection. */
  most: number[];
  /** Its public key, `ssh-ed25519 AAAA…`. */
  publicKey: string;
  /** Targets of forwarded connections, as a jump host. */
  forwarded: string[];
  /** Returns the number of open connections. */
  open(): number;
  close(): Promise<void>;
}

export interface HostOptions {
  /** Returns whether a client's key is accepted. Default: all. */
  accepts?: (key: Buffer) => boolean;
  /** Runs a command. Default: bash, with the command's input as the script. */
  exec?: (channel: ServerChannel, command: string) => void;
  /** Its own key. */
  hostKey?: { private: string; public: string };
}

/** Starts an SSH server in this process, on a port of loopback: a host that runs scripts with bash, and a jump host. */
export async function startSshHost({
  accepts = () => true,
  exec = bash,
  hostKey = makePair('host'),
}: HostOptions = {}): Promise<SshHost> {
  const most: number[] = [];
  const forwarded: string[] = [];
  const clients = new Set<ssh2.Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    const index = most.push(0) - 1;
    let open = 0;
    clients.add(client);
    client.on('error', () => {});
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      if (context.method === 'publickey' && accepts(context.key.data) && isSigned(context)) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', (accept) => {
      open++;
      most[index] = Math.max(most[index] ?? 0, open);
      accept().once('exec', (acceptExec, _, { command }) => {
        const channel = acceptExec();
        channel.on('error', () => {});
        channel.once('close', () => {
          open--;
        });
        exec(channel, command);
      });
    });
    client.on('tcpip', (accept, _, { destIP, destPort }) => {
      forwarded.push(`${destIP}:${destPort}`);
      const channel = accept();
      const socket = connect(destPort, destIP);
      channel.on('error', () => {}).once('close', () => socket.destroy());
      socket.on('error', () => {}).once('close', () => channel.end());
      channel.pipe(socket).pipe(channel);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    most,
    publicKey: hostKey.public.split(' ').slice(0, 2).join(' '),
    forwarded,
    open: () => clients.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.end();
      }),
  };
}

/** Returns whether the signature of a login is valid. A query for an acceptable key has none. */
function isSigned({ key, signature, blob, hashAlgo }: ssh2.PublicKeyAuthContext): boolean {
  if (!signature || !blob) return true;
  const parsed = ssh2.utils.parseKey(key.data);
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
}

function bash(channel: ServerChannel, command: string): void {
  const child = spawn('bash', ['-c', command]);
  child.stdin.on('error', () => {});
  channel.pipe(child.stdin);
  child.stdout.on('data', (chunk) => channel.write(chunk));
  child.stderr.on('data', (chunk) => channel.stderr.write(chunk));
  child.once('close', (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
}
