import type { SecretScope } from '../../core/taskserv/secret-reach.js';
import type { Cipher } from '../../encryption/cipher.js';
import { NOBODY, type Origin, originRecord, type SecretVersion } from '../secret-versions.js';
import { checkSecretName, contextOfScopedSecret, contextOfSecret, type ScopedSecrets } from '../secrets.js';
import type { Database } from './database.js';
import { noteRead, readSecretReads } from './secret-read-rows.js';

interface Row {
  version: number;
  sealed: Buffer;
  origin: Partial<Origin> & { at?: string };
}

/** Scope of secrets: absent for secrets of all workspaces. */
export type RowScope = SecretScope | undefined;

/**
 * The secrets of one scope as rows. The value in use is in a table by kind of scope. A trigger of the database moves
 * earlier values to `former_secrets`. A row that is moved to another scope does not open.
 */
export function secretRows(database: Database, cipher: Cipher, scope: RowScope) {
  const { table, owner, keys } = placeOf(scope);
  const here = (name: string) => [...owner, name];
  const at = keys.map((key, index) => `${key} = $${index + 1}`).join(' and ');
  const whole: [string, string] = [scope?.workspace ?? '', scope?.infra ?? ''];
  const contextOf = (name: string) => (scope ? contextOfScopedSecret(scope, name) : contextOfSecret(name));
  const open = async (name: string, sealed: Buffer) => (await cipher.open(sealed, contextOf(name))).toString('utf8');

  async function rowOf(name: string): Promise<Row | undefined> {
    checkSecretName(name);
    const text = `select version, sealed, origin from ${table} where ${at}`;
    return (await database.query<Row>('read a secret', text, here(name)))[0];
  }

  async function formerRows(name: string): Promise<Row[]> {
    const text = `select version, sealed, origin from provisioning.former_secrets
      where workspace = $1 and infra = $2 and name = $3 order by version desc`;
    return database.query<Row>('list the versions of a secret', text, [...whole, name]);
  }

  async function get(name: string): Promise<string | undefined> {
    const row = await rowOf(name);
    return row && open(name, row.sealed);
  }

  /** @param otherwise action for an existing row: not an `update` if the value is only for a missing secret */
  async function insert(name: string, value: string, version: SecretVersion, otherwise: string): Promise<void> {
    const sealed = cipher.seal(Buffer.from(value), contextOf(name));
    const { version: number, ...origin } = version;
    const values = [...here(name), number, sealed, JSON.stringify(origin)];
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const text = `insert into ${table} (${keys.join(', ')}, version, sealed, origin) values (${places})
      on conflict (${keys.join(', ')}) do ${otherwise}`;
    await database.query('keep a secret', text, values);
  }

  const secrets: ScopedSecrets = {
    get,
    async set(name, value, origin = NOBODY) {
      if ((await get(name)) === value) return;
      const made = { ...origin, version: 1, at: new Date().toISOString() };
      // The trigger counts the version up.
      await insert(name, value, made, `update set sealed = excluded.sealed, origin = excluded.origin`);
    },
    async delete(name) {
      checkSecretName(name);
      const text = `delete from ${table} where ${at} returning name`;
      return (await database.query('delete a secret', text, here(name))).length > 0;
    },
    async history(name) {
      const row = await rowOf(name);
      return row ? [row, ...(await formerRows(name))].map(versionIn) : [];
    },
    async version(name, version) {
      const row = await rowOf(name);
      if (!row) return undefined;
      const found = [row, ...(await formerRows(name))].find((one) => one.version === version);
      return found && open(name, found.sealed);
    },
    async adopt(name, value, version) {
      const row = await rowOf(name);
      const update = 'update set sealed = excluded.sealed, origin = excluded.origin, version = excluded.version';
      if (!row || row.version < version.version) return insert(name, value, version, update);
      if (row.version === version.version) return;
      const { version: number, ...origin } = version;
      const text = `insert into provisioning.former_secrets (workspace, infra, name, version, sealed, origin)
        values ($1, $2, $3, $4, $5, $6) on conflict do nothing`;
      const sealed = cipher.seal(Buffer.from(value), contextOf(name));
      await database.query('keep a secret', text, [...whole, name, number, sealed, JSON.stringify(origin)]);
    },
    async noteRead(name, read) {
      checkSecretName(name);
      await noteRead(database, [...whole, name], read);
    },
    async reads(name) {
      checkSecretName(name);
      return readSecretReads(database, [...whole, name]);
    },
  };
  return { secrets, insert };
}

function placeOf(scope: RowScope): { table: string; owner: string[]; keys: string[] } {
  if (!scope) return { table: 'provisioning.secrets', owner: [], keys: ['name'] };
  const owner = [scope.workspace, scope.infra ?? ''];
  return { table: 'provisioning.scoped_secrets', owner, keys: ['workspace', 'infra', 'name'] };
}

/** The time of values from before versions existed is unknown. */
const versionIn = ({ version, origin }: Row): SecretVersion => ({
  ...originRecord.parse({ at: '', ...NOBODY, ...origin }),
  version,
});
