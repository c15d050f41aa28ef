import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reporter } from '../../../core/report.js';
import { createKeyFile } from '../../../encryption/keys.js';
import { kmsKindOf } from '../../../encryption/kms/open-kms.js';
import { replaceFile } from '../../../home/durable.js';
import type { Home } from '../../../home/home.js';
import { ignoreMissing, namesIn, twoDeep } from '../../../stores/files/listing.js';
import { isSealed, type PrivateText, privateText } from '../../../stores/files/private-text.js';
import { createSealer } from '../../../stores/files/sealer.js';
import { markSealed } from '../../../stores/files/sealing.js';
import { contextOfKey } from '../../../stores/keys.js';
import { contextOfScopedSecret, contextOfSecret } from '../../../stores/secrets.js';
import { ensureEngineIdentity } from '../identity.js';

/**
 * Temporary names of `replaceFile` and `createFile`. A file of this name is abandoned if it is older than `DRAFT_MS`,
 * in milliseconds.
 */
const DRAFT = /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DRAFT_MS = 60_000;

/** A private file of a home, and the context that it is sealed for. */
interface Private {
  path: string;
  context: string;
}

/**
 * Seals plain files of a former version: encryption keys, secrets, private keys. No worker may run that cannot read
 * them. Each file is plain or sealed at any moment, and both are readable. A killed run continues where it was.
 */
export async function sealHome(home: Home, env: NodeJS.ProcessEnv, report: Reporter): Promise<void> {
  const keys = createKeyFile({ folder: home.encryption, env, setUp: async () => (await ensureEngineIdentity(home)).id });
  const wrapped = (await keys.wrappedBy()).includes(undefined) ? await keys.wrapAgain('plain') : 0;
  // From here on others write sealed as well: nothing plain comes behind the sweep.
  await markSealed(home);
  const text = privateText(createSealer(home, env));
  const count = { secrets: 0, keys: 0 };
  const files = { secrets: secretFiles(home), keys: keyFilesOf(home) };
  for (const kind of ['secrets', 'keys'] as const) {
    await removeDrafts(home[kind]);
    for await (const one of files[kind]) {
      const outcome = await sealFile(one, text);
      if (outcome === 'sealed') count[kind]++;
      if (outcome === 'no text')
        report({ task: 'encryption', text: `left ${one.path} as it is: it is not a text file`, state: 'skipped' });
    }
  }
  const done = [
    ...(count.secrets > 0 ? [`sealed ${count.secrets} secrets`] : []),
    ...(count.keys > 0 ? [`sealed ${count.keys} private keys`] : []),
    ...(wrapped > 0 ? [`wrapped ${wrapped} encryption keys (${kmsKindOf(env)})`] : []),
  ];
  if (done.length > 0) report({ task: 'encryption', text: done.join(', '), state: 'done' });
}

type Outcome = 'sealed' | 'was sealed' | 'no text';

async function sealFile({ path, context }: Private, text: PrivateText): Promise<Outcome> {
  const before = await ignoreMissing(stat(path));
  const bytes = await ignoreMissing(readFile(path));
  if (!before || !bytes || isSealed(bytes)) return 'was sealed';
  const plain = bytes.toString('utf8');
  if (!Buffer.from(plain).equals(bytes)) return 'no text';
  const sealed = await text.encode(plain, context);
  const now = await ignoreMissing(stat(path));
  // A value that was set or deleted since then has precedence.
  if (!now || now.ino !== before.ino || now.mtimeMs !== before.mtimeMs) return sealFile({ path, context }, text);
  await replaceFile(path, sealed);
  return 'sealed';
}

/** Removes abandoned drafts of killed processes, which may contain a secret. */
async function removeDrafts(root: string): Promise<void> {
  for (const entry of (await ignoreMissing(readdir(root, { recursive: true, withFileTypes: true }))) ?? []) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !DRAFT.test(entry.name)) continue;
    const found = await ignoreMissing(stat(path));
    if (found && Date.now() - found.mtimeMs > DRAFT_MS) await rm(path, { force: true });
  }
}

async function* secretFiles({ secrets }: Home): AsyncGenerator<Private> {
  const at = async (context: (name: string) => string, ...folder: string[]): Promise<Private[]> => {
    const files = (await namesIn(secrets, ...folder)).map((file) => ({ file, of: file }));
    for (const of of await namesIn(secrets, ...folder, '.versions'))
      for (const version of await namesIn(secrets, ...folder, '.versions', of))
        files.push({ file: join('.versions', of, version), of });
    return files.map(({ file, of }) => ({ path: join(secrets, ...folder, file), context: context(decodeURIComponent(of)) }));
  };
  yield* await at(contextOfSecret);
  for (const workspace of await namesIn(secrets, '.workspaces')) {
    yield* await at((name) => contextOfScopedSecret({ workspace }, name), '.workspaces', workspace);
    for (const infra of await namesIn(secrets, '.workspaces', workspace, '.infras'))
      yield* await at((name) => contextOfScopedSecret({ workspace, infra }, name), '.workspaces', workspace, '.infras', infra);
  }
}

async function* keyFilesOf({ keys }: Home): AsyncGenerator<Private> {
  for await (const [workspace, infra] of twoDeep(keys)) {
    const owner = { workspace, infra };
    const hosts = (await namesIn(keys, workspace, infra, 'hosts')).filter((file) => !file.endsWith('.pub'));
    yield { path: join(keys, workspace, infra, 'id_ed25519'), context: contextOfKey(owner, '') };
    for (const server of hosts) yield { path: join(keys, workspace, infra, 'hosts', server), context: contextOfKey(owner, server) };
  }
}
