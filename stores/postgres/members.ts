import { openDatabase } from './database.js';

/** Data of a store about its members, and about the secrets that they could read. */
export interface Members {
  /** `postgres://user@host:port/database`, for messages. */
  name: string;
  /** Logins that may use the store, with their open connections. */
  logins(): Promise<MemberLogin[]>;
  /** Names of all secrets in all workspaces. */
  secrets(): Promise<KeptName[]>;
  /** Infras whose SSH keys are in the store. */
  infras(): Promise<{ workspace: string; infra: string }[]>;
  close(): Promise<void>;
}

export interface MemberLogin {
  name: string;
  connections: number;
}

/** A secret by its name; without a workspace it is shared by all. */
export interface KeptName {
  name: string;
  workspace?: string;
  infra?: string;
}

/** Members of the role that owns the store, which deploy/store.sh makes. */
const LOGINS = `select person.rolname as name, count(activity.pid)::int as connections
  from pg_auth_members one
  join pg_roles store on store.oid = one.roleid and store.rolname = 'provisioning'
  join pg_roles person on person.oid = one.member and person.rolcanlogin and not person.rolsuper
  left join pg_stat_activity activity on activity.usename = person.rolname
  group by person.rolname order by person.rolname`;

const SECRETS = `select workspace, infra, name from provisioning.scoped_secrets
  union all select '', '', name from provisioning.secrets order by 1, 2, 3`;

const INFRAS = 'select distinct workspace, infra from provisioning.keys order by 1, 2';

/** Opens the store to query its members. @throws as `openDatabase` */
export async function openMembers(url: string, env: NodeJS.ProcessEnv): Promise<Members> {
  const database = await openDatabase(url, env);
  return {
    name: database.name,
    logins: () => database.query<MemberLogin>('list the logins', LOGINS),
    async secrets() {
      const rows = await database.query<Required<KeptName>>('list the secrets', SECRETS);
      return rows.map(({ name, workspace, infra }) => ({ name, ...(workspace && { workspace }), ...(infra && { infra }) }));
    },
    infras: () => database.query<{ workspace: string; infra: string }>('list the infras', INFRAS),
    close: () => database.close(),
  };
}
