import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { infraComment, makePair, publicOf } from '../key-pair.js';
import { type KeyOwner, type KeyPair, type KeyStore, nextKeyName } from '../keys.js';
import { changeKnownHosts } from './known-hosts.js';

/**
 * Keys as files: `<root>/<workspace>/<infra>/id_ed25519`, `hosts/<server>` with
 * its `.pub`, and a `known_hosts` whose names are the servers' (for
 * `ssh -o HostKeyAlias=SERVER`). Folders 0700, files 0600.
 */
export function keyFiles(root: string): KeyStore {
  const folder = ({ workspace, infra }: KeyOwner) => join(root, workspace, infra);
  const store: KeyStore = {
    async infraKey(owner) {
      const { made: _, ...pair } = await ensurePair(join(folder(owner), 'id_ed25519'), infraComment(owner));
      return pair;
    },
    async infras(workspace) {
      const there = await readdir(join(root, workspace)).catch(nothing);
      const keys = await Promise.all(there.map((infra) => readOptional(join(folder({ workspace, infra }), 'id_ed25519'))));
      return there.filter((_, index) => keys[index] !== undefined).sort();
    },
    async hostKey(owner, server) {
      const { made, ...pair } = await ensurePair(join(folder(owner), 'hosts', server), server);
      await changeKnownHosts(folder(owner), server, { key: pair.public, fresh: made });
      return pair;
    },
    pinned: (owner, server) => readOptional(join(folder(owner), 'hosts', `${server}.pub`)),
    async pin(owner, server, publicKey) {
      const path = join(folder(owner), 'hosts', `${server}.pub`);
      const fresh = (await readOptional(path)) === undefined;
      await mkdir(join(folder(owner), 'hosts'), { recursive: true, mode: 0o700 });
      await writeFile(path, `${publicKey}\n`, { mode: 0o600 });
      await changeKnownHosts(folder(owner), server, { key: publicKey, fresh });
    },
    async forget(owner, server) {
      if (server === undefined) return rm(folder(owner), { recursive: true, force: true });
      // Its line first: a former key that stayed in the list would be trusted beside the next.
      for (const name of [server, nextKeyName(server)]) {
        await changeKnownHosts(folder(owner), name, {});
        for (const suffix of ['', '.pub']) await rm(join(folder(owner), 'hosts', `${name}${suffix}`), { force: true });
      }
    },
  };
  return store;
}

/** With whether it was this call that made it. */
async function ensurePair(path: string, comment: string): Promise<KeyPair & { made: boolean }> {
  const known = await readOptional(path);
  if (known !== undefined) {
    const pair = { private: known, public: publicOf(known, comment) };
    // Whoever made it may have died before the public half was written.
    if ((await readOptional(`${path}.pub`)) === undefined) await writeFile(`${path}.pub`, `${pair.public}\n`, { mode: 0o600 });
    return { ...pair, made: false };
  }
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const pair = makePair(comment);
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(draft, pair.private, { mode: 0o600 });
  let made = false;
  try {
    // link() fails where another process was first: both then read the same key.
    await link(draft, path);
    made = true;
    await writeFile(`${path}.pub`, `${publicOf(pair.private, comment)}\n`, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const kept = await readFile(path, 'utf8');
  return { private: kept, public: publicOf(kept, comment), made };
}

const nothing = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trimEnd().concat(path.endsWith('.pub') ? '' : '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}
