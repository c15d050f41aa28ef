import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretScope } from '../../core/taskserv/secret-reach.js';
import type { SecretRead } from '../secret-reads.js';
import { NOBODY, type Origin, type SecretVersion } from '../secret-versions.js';
import {
  checkSecretName,
  checkSecretScope,
  contextOfScopedSecret,
  contextOfSecret,
  createGeneratedOrigin,
  environmentKey,
  type Maker,
  PASSWORD,
  type ScopedName,
  type ScopedSecrets,
  type SecretStore,
  sortSecretNames,
} from '../secrets.js';
import { namesIn } from './listing.js';
import type { PrivateText } from './private-text.js';
import { appendRead, readsIn } from './secret-read-files.js';
import {
  addAs,
  addVersion,
  type KeptVersion,
  listNumbers,
  readNewestVersion,
  readVersion,
  readVersions,
  removeVersions,
  type VersionPlace,
} from './secret-version-files.js';

/** Folders of workspaces, and within them of infras: no name of a secret begins with a dot. */
const WORKSPACES = '.workspaces';
const INFRAS = '.infras';
/** A folder for each secret, with a file for each version. */
const VERSIONS = '.versions';
/** Folder with the recorded reads of each secret. */
const READS = '.reads';

/**
 * Secrets as sealed files that only their owner can read, one for each version. Workspaces and infras have their own
 * folders below.
 *
 * @param folder made when it is missing, mode 0700
 */
export class FileSecretStore implements SecretStore {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #text: PrivateText;
  readonly #scope: SecretScope | undefined;

  constructor(folder: string, env: NodeJS.ProcessEnv, text: PrivateText, scope?: SecretScope) {
    this.#folder = folder;
    this.#env = env;
    this.#text = text;
    this.#scope = scope;
  }

  within(scope: SecretScope): ScopedSecrets {
    return this.#within(scope);
  }

  #within(scope: SecretScope): FileSecretStore {
    checkSecretScope(scope);
    const { workspace, infra } = scope;
    const folder = join(this.#folder, WORKSPACES, workspace, ...(infra === undefined ? [] : [INFRAS, infra]));
    return new FileSecretStore(folder, {}, this.#text, scope);
  }

  async listScoped(workspace: string): Promise<ScopedName[]> {
    const wide = this.#within({ workspace });
    const found: ScopedName[] = (await wide.list()).map((name) => ({ name }));
    for (const infra of await namesIn(join(wide.#folder, INFRAS))) {
      for (const name of await this.#within({ workspace, infra }).list()) found.push({ name, infra });
    }
    return sortSecretNames(found);
  }

  async get(name: string): Promise<string | undefined> {
    checkSecretName(name);
    return this.#env[environmentKey(name)] ?? (await this.#read(name));
  }

  async set(name: string, value: string, origin: Origin = NOBODY): Promise<void> {
    const place = this.#place(name);
    if ((await readNewestVersion(place))?.value === value) return;
    await this.#keepPrivate();
    await addVersion(place, value, origin);
  }

  async delete(name: string): Promise<boolean> {
    // Versions that cannot be opened can be deleted too.
    return removeVersions(this.#place(name));
  }

  async list(): Promise<string[]> {
    const folders = (await namesIn(this.#folder, VERSIONS)).map(decodeURIComponent);
    const found = await Promise.all(folders.map(async (name) => (await listNumbers(this.#place(name))).length > 0));
    const former = (await namesIn(this.#folder)).map(decodeURIComponent);
    return [...new Set([...former, ...folders.filter((_, index) => found[index])])].sort();
  }

  async history(name: string): Promise<SecretVersion[]> {
    return (await readVersions(this.#place(name))).map(withoutValue);
  }

  async version(name: string, version: number): Promise<string | undefined> {
    const place = this.#place(name);
    if ((await listNumbers(place)).length > 0) return (await readVersion(place, version))?.value;
    return version === 1 ? this.#read(name) : undefined;
  }

  async adopt(name: string, value: string, { version, ...origin }: SecretVersion): Promise<void> {
    await this.#keepPrivate();
    await addAs(this.#place(name), version, value, origin);
  }

  async noteRead(name: string, read: SecretRead): Promise<void> {
    await appendRead(this.#readsOf(name), read);
  }

  async reads(name: string): Promise<SecretRead[]> {
    return readsIn(this.#readsOf(name));
  }

  async ensureGenerated(name: string, maker: Maker = PASSWORD): Promise<string> {
    const known = await this.get(name);
    if (known !== undefined) return known;
    await this.#keepPrivate();
    await addAs(this.#place(name), 1, maker.make(), { ...createGeneratedOrigin(maker), at: new Date().toISOString() });
    return (await this.#read(name)) as string;
  }

  async #read(name: string): Promise<string | undefined> {
    return (await readNewestVersion(this.#place(name)))?.value;
  }

  /** A folder that was made with other rights is closed before anything is written. */
  async #keepPrivate(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
  }

  #place(name: string): VersionPlace {
    checkSecretName(name);
    const file = encodeURIComponent(name);
    return {
      folder: join(this.#folder, VERSIONS, file),
      former: join(this.#folder, file),
      pack: (text) => this.#text.encode(text, this.#context(name)),
      unpack: (bytes) => this.#text.decode(bytes, this.#context(name)),
    };
  }

  #context(name: string): string {
    return this.#scope ? contextOfScopedSecret(this.#scope, name) : contextOfSecret(name);
  }

  #readsOf(name: string): string {
    checkSecretName(name);
    return join(this.#folder, READS, encodeURIComponent(name));
  }
}

const withoutValue = ({ version, at, by, how, recipe }: KeptVersion): SecretVersion => ({
  version,
  at,
  by,
  how,
  ...(recipe && { recipe }),
});
