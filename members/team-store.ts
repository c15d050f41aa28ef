import { inputError } from '../core/errors.js';

/** Role and database that deploy/store.sh creates. */
export const STORE_ROLE = 'provisioning';

/** Address of a team's store, as a URL and as variables of PostgreSQL. */
export interface TeamStore {
  host: string;
  port: number;
  sslmode?: string;
  /** File of certificate authorities. */
  sslrootcert?: string;
  /** URL that opens the store: from the settings, or with a superuser in the role of the store. */
  url: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Returns the store from the settings.
 *
 * @param env a settled environment
 * @throws inputError `member-store` if the settings have no store, or deploy/store.sh did not create it
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
 * Returns the URL with which an operator's commands open the store. The superuser `PGUSER` opens it in its role, unless
 * the settings have the password of their own login. `PGPASSWORD` is then the password of `PGUSER`.
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
 * Returns the environment of `psql` as a superuser: `PGUSER` and `PGPASSWORD` are given, the rest comes from the store.
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
