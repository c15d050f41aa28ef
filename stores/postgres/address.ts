import { readFileSync } from 'node:fs';
import type { PoolConfig } from 'pg';
import { inputError, messageOf } from '../../core/errors.js';

const FORM = 'postgres://USER@HOST:PORT/DATABASE, with ?sslmode=verify-full and &sslrootcert=FILE where it asks for TLS';

/** How a store is connected to, and how it is named in messages: without its password. */
export interface StoreAddress {
  config: PoolConfig;
  name: string;
}

/**
 * Reads `PROVISIONING_STORE`. The password comes from the URL, the file that
 * `PROVISIONING_STORE_PASSWORD_FILE` names, or PostgreSQL's own `PGPASSWORD`,
 * `PGPASSFILE` and `~/.pgpass`, in this order.
 *
 * @throws inputError `store-address`, which never repeats the password
 */
export function storeAddress(url: string, env: NodeJS.ProcessEnv): StoreAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol) || parsed.pathname.length < 2) {
    const why = parsed ? 'it is not the address of a PostgreSQL database' : 'it is not a URL';
    throw inputError({ code: 'store-address', what: 'read the address of the store', on: 'PROVISIONING_STORE', why, hint: FORM });
  }
  const password = parsed.password ? undefined : passwordFrom(env);
  const name = `postgres://${parsed.username ? `${parsed.username}@` : ''}${parsed.host}${parsed.pathname}`;
  // The driver prefers the URL to separate options, even if its password is empty. So the password goes into the URL.
  if (password !== undefined) parsed.password = encodeURIComponent(password);
  return { config: { connectionString: parsed.href }, name };
}

function passwordFrom(env: NodeJS.ProcessEnv): string | undefined {
  const file = env.PROVISIONING_STORE_PASSWORD_FILE;
  if (!file) return env.PGPASSWORD;
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw inputError(
      {
        code: 'store-password',
        what: 'read the password of the store',
        on: file,
        why: messageOf(error),
        hint: 'check PROVISIONING_STORE_PASSWORD_FILE',
      },
      { cause: error },
    );
  }
}
