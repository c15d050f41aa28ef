import { inputError } from '../core/errors.js';

/** Form that `deploy/store.sh` accepts: the name is a PostgreSQL login and a folder name. */
const FORM = /^[a-z][a-z0-9-]{0,30}$/;

/** Logins and folders that the scripts of `deploy/` make for programs. */
const TAKEN: ReadonlySet<string> = new Set([
  ...['provisioning', 'postgres', 'temporal'],
  ...['authority', 'server', 'worker', 'ui', 'api', 'namespace'],
]);

export const isMemberName = (name: string): boolean => FORM.test(name) && !TAKEN.has(name);

/**
 * Refuses an invalid name of a person.
 *
 * @param superuser the login that creates logins
 * @throws inputError `member-name`
 */
export function checkMemberName(name: string, superuser?: string): void {
  if (isMemberName(name) && name !== superuser) return;
  const why = FORM.test(name)
    ? 'a program uses this name'
    : 'a name has at most 31 characters from a-z, 0-9 and "-", and starts with a letter';
  const on = name.length <= 60 ? name : `${name.slice(0, 60)}…`;
  throw inputError({ code: 'member-name', what: 'use the name of the person', on, why });
}
