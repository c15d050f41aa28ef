import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { infraComment, makePair, publicOf } from './key-pair.js';
import type { KeyOwner, KeyPair, KeyStore } from './keys.js';

/**
 * Keys as files: `<root>/<workspace>/<infra>/id_ed25519`, `hosts/<server>` with
 * its `.pub`, and a `known_hosts` whose names are the servers' (for
 * `ssh -o HostKeyAlias=SERVER`). Folders 0700, files 0600.
 */
export function keyFiles(root: string): KeyStore {
  const folder = ({ workspace, infra }: KeyOwner) => join(root, workspace, infra);
  const store: KeyStore = {
    infraKey: (owner) => ensurePair(join(folder(owner), 'id_ed25519'), infraComment(owner)),
    async hostKey(owner, server) {
      const pair = await ensurePair(join(folder(owner), 'hosts', server), server);
      await writeKnownHosts(folder(owner));
      return pair;
    },
    pinned: (owner, server) => readOptional(join(folder(owner), 'hosts', `${server}.pub`)),
    async pin(owner, server, publicKey) {
      await mkdir(join(folder(owner), 'hosts'), { recursive: true, mode: 0o700 });
      await writeFile(join(folder(owner), 'hosts', `${server}.pub`), `${publicKey}\n`, { mode: 0o600 });
      await writeKnownHosts(folder(owner));
    },
    async forget(owner, server) {
      if (server === undefined) return rm(folder(owner), { recursive: true, force: true });
      for (const suffix of ['', '.pub']) await rm(join(folder(owner), 'hosts', `${server}${suffix}`), { force: true });
      await writeKnownHosts(folder(owner));
    },
  };
  return store;
}

async function ensurePair(path: string, comment: string): Promise<KeyPair> {
  const known = await readOptional(path);
  if (known !== undefined) {
    const pair = { private: known, public: publicOf(known, comment) };
    // Whoever made it may have died before the public half was written.
    if ((await readOptional(`${path}.pub`)) === undefined) await writeFile(`${path}.pub`, `${pair.public}\n`, { mode: 0o600 });
    return pair;
  }
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const made = makePair(comment);
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(draft, made.private, { mode: 0o600 });
  try {
    // link() fails where another process was first: both then read the same key.
    await link(draft, path);
    await writeFile(`${path}.pub`, `${publicOf(made.private, comment)}\n`, { mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const kept = await readFile(path, 'utf8');
  return { private: kept, public: publicOf(kept, comment) };
}

const writing = new Map<string, Promise<void>>();

/** One write at a time for each infra: servers come and go side by side, and the last list written must be the last one read. */
function writeKnownHosts(folder: string): Promise<void> {
  const write = (writing.get(folder) ?? Promise.resolve()).catch(() => {}).then(() => listHosts(folder));
  writing.set(folder, write);
  return write.finally(() => {
    if (writing.get(folder) === write) writing.delete(folder);
  });
}

async function listHosts(folder: string): Promise<void> {
  const hosts = join(folder, 'hosts');
  const names = (await readdir(hosts).catch(() => [])).filter((name) => name.endsWith('.pub')).sort();
  const lines = await Promise.all(
    names.map(async (name) => {
      // A server that goes at this moment takes its key along.
      const [type, key] = (await readOptional(join(hosts, name)))?.split(' ') ?? [];
      return type && key ? `${name.slice(0, -'.pub'.length)} ${type} ${key}\n` : '';
    }),
  );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'known_hosts'), lines.join(''), { mode: 0o600 });
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trimEnd().concat(path.endsWith('.pub') ? '' : '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
