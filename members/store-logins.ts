import { inputError } from '../core/errors.js';
import { runScript, STORE_SCRIPT } from './run-script.js';

/**
 * Creates the login of a person, or sets another password, like `deploy/store.sh login`.
 *
 * @param superuser an environment of `psql`
 * @returns the password
 * @throws inputError `member-login` with PostgreSQL's message
 */
export async function makeLogin(name: string, superuser: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, why } = await runScript(STORE_SCRIPT, ['login', name], superuser);
  const password = stdout.trim();
  if (code === 0 && /^[0-9a-f]{48}$/.test(password)) return password;
  throw failed('make the login', name, why);
}

/**
 * Closes the connections of a person and removes the login, like `deploy/store.sh remove`. @throws inputError
 * `member-login`
 */
export async function removeLogin(name: string, superuser: NodeJS.ProcessEnv): Promise<void> {
  const { code, why } = await runScript(STORE_SCRIPT, ['remove', name], superuser);
  if (code !== 0) throw failed('remove the login', name, why);
}

const failed = (what: string, on: string, why: string) =>
  inputError({
    code: 'member-login',
    what,
    on,
    why,
    hint: 'set PGUSER and PGPASSWORD to a superuser of the PostgreSQL server; docs/operate/team.md',
  });
