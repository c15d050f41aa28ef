import { lstat, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '../../settings/settings.js';
import type { KeyOwner, KeyStore } from '../../stores/keys.js';
import type { Context } from '../context.js';

/** A folder with `id_ed25519` and `known_hosts`, for ssh. */
export interface KeyFolder {
  folder: string;
  /** Takes it away. */
  remove(): Promise<void>;
}

/**
 * The keys of an infra as ssh wants them: a private copy, in memory where this machine has a folder for that
 * (`XDG_RUNTIME_DIR`). Copies of processes that were killed are removed first.
 *
 * @param names whose pinned keys are needed: a server, and the jump host before it (`jumpKeyName`)
 */
export async function keyFolder(
  { home, env }: Pick<Context, 'home' | 'env'>,
  owner: KeyOwner,
  names: readonly string[],
): Promise<KeyFolder> {
  const settled = await resolveEnvironment(home, env);
  const { openStores } = await import('../../stores/open-stores.js');
  const { keys, close } = await openStores(home, settled);
  try {
    const [pair, known] = await Promise.all([keyOf(keys, owner), knownHosts(keys, owner, names)]);
    const place = env.XDG_RUNTIME_DIR || tmpdir();
    await removeLeft(place);
    const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      if (pair) await writeFile(join(folder, 'id_ed25519'), pair.private, { mode: 0o600 });
      await writeFile(join(folder, 'known_hosts'), known, { mode: 0o600 });
    } catch (error) {
      await remove();
      throw error;
    }
    return { folder, remove };
  } finally {
    await close();
  }
}

const PREFIX = 'provisioning-ssh-';

/** The key of an infra that has one: of machines that others made there is none. */
const keyOf = async (keys: KeyStore, owner: KeyOwner) =>
  (await keys.infras(owner.workspace)).includes(owner.infra) ? keys.infraKey(owner) : undefined;

async function knownHosts(keys: KeyStore, owner: KeyOwner, names: readonly string[]): Promise<string> {
  const lines = names.map(async (name) => {
    const [type, value] = (await keys.pinned(owner, name))?.split(' ') ?? [];
    return type && value ? `${name} ${type} ${value}\n` : '';
  });
  return (await Promise.all(lines)).join('');
}

/** Removes copies whose process was killed. What another user made is left: root would follow where he leads. */
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
