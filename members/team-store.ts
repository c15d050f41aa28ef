import { inputError } from '../core/errors.js';

/** The role and the database that deploy/store.sh makes. */
export const STORE_ROLE = 'provisioning';

/** Where a team's store is, as PostgreSQL's own variables and as an address. */
export interface TeamStore {
  host: string;
  port: number;
  sslmode?: string;
  /** A file of certificate authorities. */
  sslrootcert?: string;
  /** By which the store is opened: that of the settings, or a superuser in the role of the store. */
  url: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The store that the settings name.
 *
 * @param env a settled environment
 * @throws inputError `member-store` if there is none, or it is not one of deploy/store.sh
 */
export function readTeamStore(env: NodeJS.ProcessEnv): TeamStore {
  const text = env.PROVISIONING_STORE;
  if (!text)
    throw bad('the settings name no store of a team', 'provisioning config set store.url postgres://…; docs/operate/team.md');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) throw bad('store.url is not an address of PostgreSQL');
  if (url.pathname !== `/${STORE_ROLE}`)
    throw bad(`the database has another name than "${STORE_ROLE}"`, 'deploy/store.sh makes logins of that database and no other');
  const { searchParams: given } = url;
  if (given.has('sslcert') || given.has('sslkey'))
    throw bad('it asks for a client certificate of PostgreSQL', 'make the login and its certificate by hand; docs/operate/team.md');
  const sslmode = given.get('sslmode');
  const sslrootcert = given.get('sslrootcert');
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 5432),
    ...(sslmode && { sslmode }),
    ...(sslrootcert && { sslrootcert }),
    ...openedBy(url, env),
  };
}

/**
 * How commands of an operator open the store. `PGPASSWORD` is the password of `PGUSER` if there is one: then the
 * superuser opens the store, in its role, unless the settings have the password of their own login.
 */
function openedBy(url: URL, env: NodeJS.ProcessEnv): Pick<TeamStore, 'url' | 'env'> {
  const { PGUSER: user } = env;
  if (!user || user === url.username || url.password || env.PROVISIONING_STORE_PASSWORD_FILE) return { url: url.href, env };
  const own = new URL(url);
  own.username = encodeURIComponent(user);
  own.searchParams.set('options', `-c role=${STORE_ROLE}`);
  return { url: own.href, env };
}

/**
 * The environment of `psql` as a superuser: `PGUSER` and `PGPASSWORD` are given, the rest follows from the store.
 *
 * @throws inputError `member-superuser`
 */
export function superuserEnvironment({ host, port, sslmode, sslrootcert }: TeamStore, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!env.PGUSER) {
    const hint = 'PGUSER=postgres PGPASSWORD=… provisioning member …; the password may also be in ~/.pgpass';
    const why = 'PGUSER does not name a superuser of its PostgreSQL, which is required to create and remove logins';
    throw inputError({ code: 'member-superuser', what: 'change the logins of the store', on: `${host}:${port}`, why, hint });
  }
  const given = Object.entries(env).filter(([name]) => name.startsWith('PG') || name === 'PATH' || name === 'HOME');
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGCONNECT_TIMEOUT: '10',
    ...(sslmode && sslmode !== 'no-verify' && { PGSSLMODE: sslmode }),
    ...(sslrootcert && { PGSSLROOTCERT: sslrootcert }),
    ...Object.fromEntries(given),
  };
}

const bad = (why: string, hint?: string) =>
  inputError({ code: 'member-store', what: 'find the store of the team', why, ...(hint && { hint }) });
