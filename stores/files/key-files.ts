import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, replaceFile } from '../../home/durable.js';
import { derivePublicKey, infraComment, makePair } from '../key-pair.js';
import { contextOfKey, type KeyOwner, type KeyPair, type KeyStore, nextKeyName } from '../keys.js';
import { changeKnownHosts } from './known-hosts.js';
import { bytesAt, ignoreMissing, namesIn } from './listing.js';
import type { PrivateText } from './private-text.js';

/**
 * Keys as files: `<root>/<workspace>/<infra>/id_ed25519`, `hosts/<server>` with its `.pub`, and a `known_hosts` whose
 * names are the servers' (for `ssh -o HostKeyAlias=SERVER`). Folders have mode 0700 and files 0600. Private halves are
 * sealed. Keys that were handed out and pinned host keys survive a power cut. `known_hosts` is for people.
 */
export function keyFiles(root: string, text: PrivateText): KeyStore {
  const folder = ({ workspace, infra }: KeyOwner) => join(root, workspace, infra);
  const sealedFor = (owner: KeyOwner, server: string): Sealing => ({ text, context: contextOfKey(owner, server) });
  const store: KeyStore = {
    async infraKey(owner) {
      const { made: _, ...pair } = await ensurePair(join(folder(owner), 'id_ed25519'), infraComment(owner), sealedFor(owner, ''));
      return pair;
    },
    async infras(workspace) {
      const there = await namesIn(root, workspace);
      const keys = await Promise.all(there.map((infra) => ignoreMissing(stat(join(folder({ workspace, infra }), 'id_ed25519')))));
      return there.filter((_, index) => keys[index] !== undefined);
    },
    async hostKey(owner, server) {
      const { made, ...pair } = await ensurePair(join(folder(owner), 'hosts', server), server, sealedFor(owner, server));
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
      // The line is removed first: a former key that stayed in the list would be trusted beside the next.
      for (const name of [server, nextKeyName(server)]) {
        await changeKnownHosts(folder(owner), name, {});
        for (const suffix of ['', '.pub']) await rm(join(folder(owner), 'hosts', `${name}${suffix}`), { force: true });
      }
    },
  };
  return store;
}

interface Sealing {
  text: PrivateText;
  context: string;
}

/** With whether it was this call that made it. */
async function ensurePair(path: string, comment: string, { text, context }: Sealing): Promise<KeyPair & { made: boolean }> {
  const before = await bytesAt(path);
  // If another process was first, both read the same key.
  const made = before === undefined && (await createFile(path, await text.encode(makePair(comment).private, context)));
  const kept = `${(await text.decode(before ?? (await readFile(path)), context)).trimEnd()}\n`;
  const known = derivePublicKey(kept, comment);
  // The process that made it may have died before it wrote the public half.
  if (made || (await readOptional(`${path}.pub`)) === undefined) await replaceFile(`${path}.pub`, `${known}\n`);
  return { private: kept, public: known, made };
}

const readOptional = async (path: string): Promise<string | undefined> => (await ignoreMissing(readFile(path, 'utf8')))?.trimEnd();
