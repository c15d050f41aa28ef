import ssh2 from 'ssh2';
import type { Access } from '../../core/machine/provider.js';
import { makePair } from '../../stores/key-pair.js';

export interface TestAccess extends Access {
  /** Private half of `authorizedKey`. */
  privateKey: string;
}

/** Fresh keys for one host: ours to log in with, and its own. */
export function hostAccess(): TestAccess {
  const ours = makePair('');
  const host = makePair('');
  return { privateKey: ours.private, authorizedKey: ours.public, hostKey: host };
}

/** Logs in once; answers what the command printed and the key that the host showed, in base64. */
export function logIn(
  { address, port = 22, user = 'root' }: { address: string; port?: number; user?: string },
  privateKey: string,
  command: string,
): Promise<{ stdout: string; hostKey: string }> {
  const client = new ssh2.Client();
  let hostKey = '';
  return new Promise<{ stdout: string; hostKey: string }>((resolve, reject) => {
    client.on('error', reject).on('ready', () =>
      client.exec(command, (error, channel) => {
        if (error) return reject(error);
        let stdout = '';
        channel.on('data', (chunk: Buffer) => {
          stdout += chunk;
        });
        channel.stderr.resume();
        channel.on('close', () => resolve({ stdout, hostKey }));
      }),
    );
    const hostVerifier = (key: Buffer) => {
      hostKey = key.toString('base64');
      return true;
    };
    client.connect({ host: address, port, username: user, privateKey, hostVerifier });
  }).finally(() => client.end());
}
