import type { Cipher } from '../../encryption/cipher.js';
import {
  checkSecretName,
  checkSecretScope,
  createGeneratedOrigin,
  environmentKey,
  PASSWORD,
  type SecretStore,
  sortSecretNames,
} from '../secrets.js';
import type { Database } from './database.js';
import { secretRows } from './secret-rows.js';

/** Secrets in the team's store, sealed. Values of the environment have precedence, as everywhere. */
export function secretTable(database: Database, cipher: Cipher, env: NodeJS.ProcessEnv = process.env): SecretStore {
  const { secrets: shared, insert } = secretRows(database, cipher, undefined);
  const get = async (name: string): Promise<string | undefined> => {
    checkSecretName(name);
    return env[environmentKey(name)] ?? (await shared.get(name));
  };
  return {
    ...shared,
    get,
    within(scope) {
      checkSecretScope(scope);
      return secretRows(database, cipher, scope).secrets;
    },
    async listScoped(workspace) {
      const text = 'select name, infra from provisioning.scoped_secrets where workspace = $1';
      const rows = await database.query<{ name: string; infra: string }>('list the secrets', text, [workspace]);
      return sortSecretNames(rows.map(({ name, infra }) => (infra === '' ? { name } : { name, infra })));
    },
    async list() {
      const rows = await database.query<{ name: string }>('list the secrets', 'select name from provisioning.secrets');
      return rows.map(({ name }) => name).sort();
    },
    async ensureGenerated(name, maker = PASSWORD) {
      const known = await get(name);
      if (known !== undefined) return known;
      const made = { ...createGeneratedOrigin(maker), version: 1, at: new Date().toISOString() };
      await insert(name, maker.make(), made, 'nothing');
      return (await get(name)) as string;
    },
  };
}
