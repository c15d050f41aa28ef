import { join } from 'node:path';
import { ProvisioningError } from '../../../core/errors.js';
import type { Home } from '../../../home/home.js';
import { packFeed } from '../../feeds.js';
import { contextOfKey } from '../../keys.js';
import { jsonBytes, type RecordKind, readsBytes, type StoreRecord } from '../../records.js';
import { packRollback } from '../../rollbacks.js';
import { hasRows, homeRows } from '../../rows/open-rows.js';
import type { ScopedSecrets } from '../../secrets.js';
import { blobFiles } from '../blob-files.js';
import { feedFiles } from '../feed-files.js';
import { FileSecretStore } from '../file-secret-store.js';
import { bytesAt, namesIn, twoDeep } from '../listing.js';
import { unpackLogText } from '../log-files.js';
import { privateText } from '../private-text.js';
import { rollbackFiles } from '../rollback-files.js';
import type { Sealer } from '../sealer.js';
import { readsIn } from '../secret-read-files.js';

type Found = AsyncGenerator<Omit<StoreRecord, 'kind'>>;
type Places = Pick<Home, 'sequences' | 'feeds' | 'keys' | 'secrets' | 'rollbacks' | 'batches' | 'payloads' | 'operations' | 'rows'>;

/** Readers of a home's files as records, by kind. Files that disappear during the read are left out. */
export const READERS: Readonly<Record<RecordKind, (home: Places, sealer: Sealer) => Found>> = {
  async *sequence({ sequences }) {
    for await (const [workspace, infra] of twoDeep(sequences)) {
      const numbers = (await namesIn(sequences, workspace, infra)).filter((name) => /^\d+$/.test(name)).map(Number);
      if (numbers.length === 0) continue;
      const sequence = Math.max(...numbers);
      const run = await bytesAt(sequences, workspace, infra, String(sequence));
      const name = [workspace, infra].map(decodeURIComponent);
      if (run) yield { name, bytes: jsonBytes({ sequence, run: run.toString('utf8') }) };
    }
  },
  async *feed({ feeds }, sealer) {
    const store = feedFiles(feeds, sealer);
    for await (const place of twoDeep(feeds)) {
      const [workspace = '', infra = ''] = place.map(decodeURIComponent);
      for (const feed of await store.read({ workspace, infra }))
        yield { name: [workspace, infra, feed.uuid], bytes: await packFeed(feed) };
    }
  },
  async *key({ keys }, sealer) {
    const text = privateText(sealer);
    for await (const [workspace, infra] of twoDeep(keys)) {
      const opened = (bytes: Buffer | undefined, server: string) =>
        bytes && text.decode(bytes, contextOfKey({ workspace, infra }, server));
      const own = await opened(await bytesAt(keys, workspace, infra, 'id_ed25519'), '');
      if (own) yield { name: [workspace, infra, ''], bytes: jsonBytes({ private: own }) };
      const files = (await namesIn(keys, workspace, infra, 'hosts')).filter((file) => !isDraftOfKey(file));
      for (const server of new Set(files.map((file) => file.replace(/\.pub$/, '')))) {
        const path = join(keys, workspace, infra, 'hosts', server);
        const [secret, pin] = await Promise.all([bytesAt(path), bytesAt(`${path}.pub`)]);
        const both = { private: await opened(secret, server), pin: pin?.toString('utf8').trimEnd() };
        if (secret || pin) yield { name: [workspace, infra, server], bytes: jsonBytes(both) };
      }
    }
  },
  'secret-version': ({ secrets }, sealer) =>
    ofEachSecret(new FileSecretStore(secrets, {}, privateText(sealer)), secrets, versionsOfSecret),
  secret: ({ secrets }, sealer) => ofEachSecret(new FileSecretStore(secrets, {}, privateText(sealer)), secrets, oneSecret),
  async *'secret-read'({ secrets }) {
    for await (const [workspace, infra] of scopesIn(secrets)) {
      const folder = readsFolder(secrets, workspace, infra);
      for (const file of await namesIn(folder)) {
        const reads = await readsIn(join(folder, file));
        if (reads.length > 0) yield { name: [workspace, infra, decodeURIComponent(file)], bytes: readsBytes(reads) };
      }
    }
  },
  async *rows(home, sealer) {
    // A read never creates a database in a home without one.
    if (!hasRows(home)) return;
    const { rows, close } = homeRows(home, sealer);
    try {
      yield* (await rows()).read();
    } finally {
      await close();
    }
  },
  async *rollback({ rollbacks }, sealer) {
    const store = rollbackFiles(rollbacks, sealer);
    for await (const [workspace, infra] of twoDeep(rollbacks)) {
      for (const file of await namesIn(rollbacks, workspace, infra)) {
        const [one = '', two = '', operation = ''] = [workspace, infra, file.replace(/\.json\.gz$/, '')].map(decodeURIComponent);
        const kept = await store.read({ workspace: one, infra: two, operation });
        if (kept) yield { name: [one, two, operation], bytes: await packRollback(kept) };
      }
    }
  },
  async *blob({ batches }, sealer) {
    const store = blobFiles(batches, sealer);
    for await (const address of addressesIn(batches)) {
      const text = await orGone(store.get(address));
      if (text !== undefined) yield { name: [address], bytes: Buffer.from(text) };
    }
  },
  async *payload({ payloads }) {
    for await (const address of addressesIn(payloads)) {
      const bytes = await bytesAt(payloads, address.slice(0, 2), address);
      if (bytes) yield { name: [address], bytes };
    }
  },
  async *log({ operations }, sealer) {
    for await (const [operation, file] of twoDeep(operations)) {
      const [, ...unit] = /^(.+)\.([^.]+)\.(\d+)\.(\d+)\.log$/.exec(file) ?? [];
      const kept = unit.length > 0 ? await bytesAt(operations, operation, file) : undefined;
      if (!kept) continue;
      const [server = '', taskserv = '', generation, attempt] = unit;
      const key = { operation, server, taskserv, generation: Number(generation), attempt: Number(attempt) };
      yield { name: [operation, ...unit], bytes: Buffer.from(await unpackLogText(kept, key, sealer)) };
    }
  },
};

/** Scopes of secrets that have a folder: all workspaces, single workspaces, their infras. */
async function* scopesIn(secrets: string): AsyncGenerator<[workspace: string, infra: string]> {
  yield ['', ''];
  for (const workspace of await namesIn(secrets, '.workspaces')) {
    yield [workspace, ''];
    for (const infra of await namesIn(secrets, '.workspaces', workspace, '.infras')) yield [workspace, infra];
  }
}

/** Returns the folder in which a home records the reads of a scope's secrets. */
export const readsFolder = (secrets: string, workspace: string, infra: string): string =>
  join(secrets, ...(workspace ? ['.workspaces', workspace] : []), ...(infra ? ['.infras', infra] : []), '.reads');

/** Addresses of pages or payloads in a folder. */
export async function* addressesIn(root: string): AsyncGenerator<string> {
  for await (const [, address] of twoDeep(root)) if (/^[0-9a-f]{64}$/.test(address)) yield address;
}

type ReadSecret = (name: [string, string, string], store: ScopedSecrets) => Found;

async function* ofEachSecret(store: FileSecretStore, folder: string, read: ReadSecret): Found {
  for (const name of await store.list()) yield* read(['', '', name], store);
  for (const workspace of await namesIn(folder, '.workspaces')) {
    for (const { name, infra } of await store.listScoped(workspace))
      yield* read([workspace, infra ?? '', name], store.within({ workspace, infra }));
  }
}

async function* versionsOfSecret(name: [string, string, string], store: ScopedSecrets): Found {
  for (const { version, ...origin } of (await store.history(name[2])).reverse()) {
    const value = await store.version(name[2], version);
    if (value !== undefined) yield { name: [...name, String(version)], bytes: jsonBytes({ ...origin, value }) };
  }
}

async function* oneSecret(name: [string, string, string], store: ScopedSecrets): Found {
  const value = await store.get(name[2]);
  if (value !== undefined) yield { name, bytes: Buffer.from(value) };
}

/** `web-1.4711.x2y3`, on its way to `web-1`. */
const isDraftOfKey = (file: string): boolean => /\.\d+\.[a-z0-9]+$/.test(file);

/** Returns a text; undefined if its file has gone. */
const orGone = (reading: Promise<string>): Promise<string | undefined> =>
  reading.catch((error) => {
    if (error instanceof ProvisioningError && error.details.code === 'blob-missing') return undefined;
    throw error;
  });
