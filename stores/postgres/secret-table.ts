import type { Cipher } from '../../encryption/cipher.js';
import { checkSecretName, environmentKey, makeSecret, type SecretStore } from '../../secrets/secret-store.js';
import type { Database } from './database.js';

/** Secrets in the team's store, sealed. Those of the environment win, as everywhere. */
export function secretTable(database: Database, cipher: Cipher, env: NodeJS.ProcessEnv = process.env): SecretStore {
  const contextOf = (name: string) => `secret/${name}`;

  async function read(name: string): Promise<string | undefined> {
    const text = 'select sealed from provisioning.secrets where name = $1';
    const [row] = await database.query<{ sealed: Buffer }>('read a secret', text, [name]);
    return row && (await cipher.open(row.sealed, contextOf(name))).toString('utf8');
  }

  async function write(name: string, value: string, otherwise: string): Promise<void> {
    checkSecretName(name);
    const sealed = cipher.seal(Buffer.from(value), contextOf(name));
    const text = `insert into provisioning.secrets (name, sealed) values ($1, $2) on conflict (name) do ${otherwise}`;
    await database.query('keep a secret', text, [name, sealed]);
  }

  return {
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
