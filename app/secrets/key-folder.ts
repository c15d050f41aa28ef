import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settledEnvironment } from '../../settings/settings.js';
import type { Context } from '../context.js';

/** A folder with `id_ed25519` and `known_hosts`, for ssh. */
export interface KeyFolder {
  folder: string;
  /** Takes away what was only brought here. */
  remove(): Promise<void>;
}

/**
 * The keys of an infra as ssh wants them: the home's own files, or a private copy of what the team's store has.
 *
 * @param names whose pinned keys are needed: a server, and the jump host before it (`jumpKeyName`)
 */
export async function keyFolder(
  { home, env }: Pick<Context, 'home' | 'env'>,
  owner: { workspace: string; infra: string },
  names: readonly string[],
): Promise<KeyFolder> {
  const settled = await settledEnvironment(home, env);
  if (!settled.PROVISIONING_STORE) {
    return { folder: join(home.keys, owner.workspace, owner.infra), remove: async () => {} };
  }
  const { openStores } = await import('../../stores/open-stores.js');
  const { keys, close } = await openStores(home, settled);
  try {
    const pinned = names.map(async (name) => {
      const [type, value] = (await keys.pinned(owner, name))?.split(' ') ?? [];
      return type && value ? `${name} ${type} ${value}\n` : '';
    });
    const [pair, ...lines] = await Promise.all([keys.infraKey(owner), ...pinned]);
    const folder = await mkdtemp(join(env.XDG_RUNTIME_DIR ?? tmpdir(), 'provisioning-ssh-'));
    const remove = () => rm(folder, { recursive: true, force: true });
    try {
      await writeFile(join(folder, 'id_ed25519'), pair.private, { mode: 0o600 });
      await writeFile(join(folder, 'known_hosts'), lines.join(''), { mode: 0o600 });
    } catch (error) {
      await remove();
      throw error;
    }
    return { folder, remove };
  } finally {
    await close();
  }
}
