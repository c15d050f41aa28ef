import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretScope } from '../../core/taskserv/secret-reach.js';
import {
  checkSecretName,
  checkSecretScope,
  contextOfScopedSecret,
  contextOfSecret,
  environmentKey,
  inOrder,
  makeSecret,
  type ScopedName,
  type ScopedSecrets,
  type SecretStore,
} from '../secrets.js';
import { createFile, replaceFile } from './durable.js';
import { bytesAt, namesIn } from './listing.js';
import type { PrivateText } from './private-text.js';

/** Folders of workspaces, and within them of infras: no name of a secret begins with a dot. */
const WORKSPACES = '.workspaces';
const INFRAS = '.infras';

/**
 * Secrets as sealed files that only their owner can read, one each; those of a workspace and of an infra in
 * folders of their own below.
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
    return inOrder(found);
  }

  async get(name: string): Promise<string | undefined> {
    checkSecretName(name);
    return this.#env[environmentKey(name)] ?? (await this.#read(name));
  }

  async set(name: string, value: string): Promise<void> {
    const path = this.#path(name);
    await this.#keepPrivate();
    await replaceFile(path, await this.#text.encode(value, this.#context(name)));
  }

  async delete(name: string): Promise<boolean> {
    // Also what cannot be opened can be deleted.
    const kept = (await bytesAt(this.#path(name))) !== undefined;
    if (kept) await rm(this.#path(name), { force: true });
    return kept;
  }

  async list(): Promise<string[]> {
    return (await namesIn(this.#folder)).map(decodeURIComponent).sort();
  }

  async ensureGenerated(name: string): Promise<string> {
    const known = await this.get(name);
    if (known !== undefined) return known;
    await this.#keepPrivate();
    await createFile(this.#path(name), await this.#text.encode(makeSecret(), this.#context(name)));
    return (await this.#read(name)) as string;
  }

  async #read(name: string): Promise<string | undefined> {
    const bytes = await bytesAt(this.#path(name));
    return bytes && this.#text.decode(bytes, this.#context(name));
  }

  /** A folder that was made with other rights is closed before anything is written. */
  async #keepPrivate(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
  }

  #context(name: string): string {
    return this.#scope ? contextOfScopedSecret(this.#scope, name) : contextOfSecret(name);
  }

  #path(name: string): string {
    checkSecretName(name);
    return join(this.#folder, encodeURIComponent(name));
  }
}
