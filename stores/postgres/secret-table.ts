import type { SecretScope } from '../../core/taskserv/secret-reach.js';
import type { Cipher } from '../../encryption/cipher.js';
import {
  checkSecretName,
  checkSecretScope,
  contextOfScopedSecret,
  contextOfSecret,
  environmentKey,
  inOrder,
  makeSecret,
  type ScopedSecrets,
  type SecretStore,
} from '../secrets.js';
import type { Database } from './database.js';

/** Secrets in the team's store, sealed. Those of the environment win, as everywhere. */
export function secretTable(database: Database, cipher: Cipher, env: NodeJS.ProcessEnv = process.env): SecretStore {
  async function read(name: string): Promise<string | undefined> {
    const text = 'select sealed from provisioning.secrets where name = $1';
    const [row] = await database.query<{ sealed: Buffer }>('read a secret', text, [name]);
    return row && (await cipher.open(row.sealed, contextOfSecret(name))).toString('utf8');
  }

  async function write(name: string, value: string, otherwise: string): Promise<void> {
    checkSecretName(name);
    const sealed = cipher.seal(Buffer.from(value), contextOfSecret(name));
    const text = `insert into provisioning.secrets (name, sealed) values ($1, $2) on conflict (name) do ${otherwise}`;
    await database.query('keep a secret', text, [name, sealed]);
  }

  /** The seal names the scope: a row that is moved to another one does not open. */
  function within(scope: SecretScope): ScopedSecrets {
    checkSecretScope(scope);
    const { workspace, infra = '' } = scope;
    return {
      async get(name) {
        checkSecretName(name);
        const text = 'select sealed from provisioning.scoped_secrets where workspace = $1 and infra = $2 and name = $3';
        const [row] = await database.query<{ sealed: Buffer }>('read a secret', text, [workspace, infra, name]);
        return row && (await cipher.open(row.sealed, contextOfScopedSecret(scope, name))).toString('utf8');
      },
      async set(name, value) {
        checkSecretName(name);
        const text = `insert into provisioning.scoped_secrets (workspace, infra, name, sealed) values ($1, $2, $3, $4)
           on conflict (workspace, infra, name) do update set sealed = excluded.sealed`;
        const sealed = cipher.seal(Buffer.from(value), contextOfScopedSecret(scope, name));
        await database.query('keep a secret', text, [workspace, infra, name, sealed]);
      },
      async delete(name) {
        checkSecretName(name);
        const text = 'delete from provisioning.scoped_secrets where workspace = $1 and infra = $2 and name = $3 returning name';
        return (await database.query('delete a secret', text, [workspace, infra, name])).length > 0;
      },
    };
  }

  return {
    within,
    async listScoped(workspace) {
      const text = 'select name, infra from provisioning.scoped_secrets where workspace = $1';
      const rows = await database.query<{ name: string; infra: string }>('list the secrets', text, [workspace]);
      return inOrder(rows.map(({ name, infra }) => (infra === '' ? { name } : { name, infra })));
    },
    async get(name) {
      checkSecretName(name);
      return env[environmentKey(name)] ?? (await read(name));
    },
    set: (name, value) => write(name, value, 'update set sealed = excluded.sealed'),
    async delete(name) {
      checkSecretName(name);
      const text = 'delete from provisioning.secrets where name = $1 returning name';
      return (await database.query('delete a secret', text, [name])).length > 0;
    },
    async list() {
      const rows = await database.query<{ name: string }>('list the secrets', 'select name from provisioning.secrets');
      return rows.map(({ name }) => name).sort();
    },
    async ensureGenerated(name) {
      const known = env[environmentKey(name)] ?? (await read(name));
      if (known !== undefined) return known;
      await write(name, makeSecret(), 'nothing');
      return (await read(name)) as string;
    },
  };
}
