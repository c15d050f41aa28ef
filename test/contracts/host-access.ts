import ssh2 from 'ssh2';
import type { Access } from '../../core/machine/provider.js';
import { makePair } from '../../stores/key-pair.js';

export interface TestAccess extends Access {
  /** Private half of `authorizedKey`. */
  privateKey: string;
}

/** Creates new keys for one host: our login key and the host's own key. */
export function hostAccess(): TestAccess {
  const ours = makePair('');
  const host = makePair('');
  return { privateKey: ours.private, authorizedKey: ours.public, hostKey: host };
}

/** Logs in once. Returns the command's output and the host's key in base64. */
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
