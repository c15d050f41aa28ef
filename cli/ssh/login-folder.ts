import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import { jumpKeyName } from '../../core/definition/jump-host.js';
import { serveAgent } from './agent.js';
import { locateConnector, locateKnownHosts, locatePublicKey, locateSocket } from './login-files.js';

/** Folder for ssh: public keys, pinned host keys, and sockets that sign logins. */
export interface LoginFolder {
  folder: string;
  /** Closes the sockets and removes the folder. */
  remove(): Promise<void>;
}

/** Login as the platform describes it. */
export type Login = Awaited<ReturnType<Client['servers']['login']>>[number] & {
  /** Key file that the definition names, if any. */
  identity?: string;
};

/** Signs a login to a server or to its jump host. */
export type SignLogin = (server: string, jump: boolean, data: Buffer) => Promise<Buffer>;

/** Additional files of a login folder. */
interface More {
  /** Script of `createConnector`. */
  connector?: string | undefined;
}

/**
 * Creates the folder for logins to servers. It contains no private key: ssh uses the sockets, and the platform makes
 * each signature. Folders of killed processes are removed first.
 */
export async function createLoginFolder(
  env: NodeJS.ProcessEnv,
  logins: readonly Login[],
  sign: SignLogin,
  { connector }: More = {},
): Promise<LoginFolder> {
  const place = choosePlace(env);
  await removeLeft(place);
  // Only this user may enter it and connect to its sockets.
  const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  const closers: (() => void)[] = [];
  const remove = async () => {
    for (const close of closers.splice(0)) close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await writeFile(locateKnownHosts(folder), formatKnownHosts(logins), { mode: 0o600 });
    if (connector !== undefined) await writeFile(locateConnector(folder), connector, { mode: 0o600 });
    const written = new Set<string>();
    for (const { server, publicKey, identity, jump } of logins) {
      if (publicKey === undefined) continue;
      const file = locatePublicKey(folder, identity);
      if (!written.has(file)) await writeFile(file, `${publicKey}\n`, { mode: 0o600 });
      written.add(file);
      const key = { public: Buffer.from(publicKey.split(' ')[1] ?? '', 'base64'), comment: server };
      for (const through of jump ? [false, true] : [false]) {
        const signOne = (data: Buffer) => sign(server, through, data);
        closers.push(await serveAgent(locateSocket(folder, server, through), { ...key, sign: signOne }));
      }
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

const PREFIX = 'provisioning-ssh-';

/** Maximum bytes of the folder's path, to leave room for the name of a socket. Some systems allow 104 bytes in all. */
const MOST_PATH = 60;

function choosePlace(env: NodeJS.ProcessEnv): string {
  const places = [env.XDG_RUNTIME_DIR ?? '', tmpdir()];
  return places.find((place) => place !== '' && Buffer.byteLength(place) <= MOST_PATH) ?? '/tmp';
}

function formatKnownHosts(logins: readonly Login[]): string {
  const lines = logins.flatMap(({ server, hostKey, jump }) => [
    ...(hostKey === undefined ? [] : [`${server} ${hostKey}`]),
    ...(jump?.hostKey === undefined ? [] : [`${jumpKeyName(jump)} ${jump.hostKey}`]),
  ]);
  return [...new Set(lines)].map((line) => `${line}\n`).join('');
}

/** Removes folders of killed processes. Folders of other users are skipped: root would follow their links. */
async function removeLeft(place: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    const [, pid] = /^provisioning-ssh-(\d+)-/.exec(name) ?? [];
    if (!pid || isAlive(Number(pid))) continue;
    const path = join(place, name);
    const found = await lstat(path).catch(() => undefined);
    const isOurs = found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
    if (isOurs) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
