import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { infraComment, makePair, publicOf } from '../key-pair.js';
import { type KeyOwner, type KeyPair, type KeyStore, nextKeyName } from '../keys.js';
import { createFile, replaceFile } from './durable.js';
import { changeKnownHosts } from './known-hosts.js';
import { namesIn, orNothing } from './listing.js';

/**
 * Keys as files: `<root>/<workspace>/<infra>/id_ed25519`, `hosts/<server>` with
 * its `.pub`, and a `known_hosts` whose names are the servers' (for
 * `ssh -o HostKeyAlias=SERVER`). Folders 0700, files 0600. A key that was given out outlives a power cut, and
 * so does what a server must show; `known_hosts` is for people.
 */
export function keyFiles(root: string): KeyStore {
  const folder = ({ workspace, infra }: KeyOwner) => join(root, workspace, infra);
  const store: KeyStore = {
    async infraKey(owner) {
      const { made: _, ...pair } = await ensurePair(join(folder(owner), 'id_ed25519'), infraComment(owner));
      return pair;
    },
    async infras(workspace) {
      const there = await namesIn(root, workspace);
      const keys = await Promise.all(there.map((infra) => orNothing(stat(join(folder({ workspace, infra }), 'id_ed25519')))));
      return there.filter((_, index) => keys[index] !== undefined);
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
      await replaceFile(path, `${publicKey}\n`);
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
  const before = await readOptional(path);
  // Where another process was first, both read the same key.
  const made = before === undefined && (await createFile(path, makePair(comment).private));
  const kept = before ?? (await readFile(path, 'utf8'));
  const known = publicOf(kept, comment);
  // Whoever made it may have died before the public half was written.
  if (made || (await readOptional(`${path}.pub`)) === undefined) await replaceFile(`${path}.pub`, `${known}\n`);
  return { private: kept, public: known, made };
}

async function readOptional(path: string): Promise<string | undefined> {
  const text = await orNothing(readFile(path, 'utf8'));
  return text?.trimEnd().concat(path.endsWith('.pub') ? '' : '\n');
}
