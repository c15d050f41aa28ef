import { inputError, type ProvisioningError } from '../../core/errors.js';

/** sudo's English messages to users who cannot become root without a person. */
const REFUSALS: readonly { says: RegExp; exit?: number; why: string; hint: string }[] = [
  {
    says: /^sudo: .*(must have a tty|terminal is required to run sudo|no tty present)/m,
    why: 'sudo wants a terminal',
    hint: 'without requiretty: write `Defaults:USER !requiretty` to a file in /etc/sudoers.d on the host, by visudo',
  },
  {
    says: /^sudo: .*(password|not allowed|sudoers)|not in the sudoers file|^Sorry, user \S+ (is not allowed|may not run)/m,
    why: 'sudo wants a password or does not know the user',
    hint: 'allow sudo without a password for this user',
  },
  {
    // Scripts begin with `env`, which speaks the language of the login and ends with 126 for a program that it may not run.
    says: /^env: \W{0,3}sudo\W{0,3}: /m,
    exit: 126,
    why: 'this user may not run sudo',
    hint: 'allow this user to run sudo on the host, or log in as root',
  },
  {
    says: /\bsudo\W{0,3}: (command )?(not found|No such file)|can't execute 'sudo'|^env: \W{0,3}sudo\W{0,3}: /m,
    why: 'there is no sudo',
    hint: 'install sudo on the host, or log in as root',
  },
];

/** How a shell ends that does not find a program, or may not run it. */
const NO_PROGRAM: readonly number[] = [126, 127];
/** Messages of programs with the same exit codes, on a host that lacks resources or has a broken disk. */
const SHORTAGE = /Cannot allocate memory|Resource temporarily unavailable|Too many open files|Input\/output error/;
/** How logins are refused by the shell that an account has instead of one. */
const NO_LOGIN = /account is (currently )?not available|not allow(ed)? (shell|interactive)/i;

/**
 * The error for a host that did not begin with a script, if time does not heal it.
 *
 * @param said what it printed instead
 */
export function explainNotBegun(on: string, exit: number, said: string): ProvisioningError | undefined {
  const lines = said.split('\n').filter((line) => !SHORTAGE.test(line));
  const refused = REFUSALS.find((one) => (one.exit ?? exit) === exit && one.says.test(lines.join('\n')));
  if (refused) return inputError({ code: 'sudo-refused', what: 'become root', on, why: refused.why, hint: refused.hint });
  // One that ends well has run something else.
  if (exit !== 0 && !NO_PROGRAM.includes(exit) && !NO_LOGIN.test(said)) return undefined;
  // The caller of the script reports what the host lacks.
  if (exit !== 0 && SHORTAGE.test(said)) return undefined;
  return inputError({
    code: 'login-without-shell',
    what: 'run a script',
    on,
    why: `the login does not run commands: ${said.trim().split('\n').at(-1)?.slice(-300) || `it ended with code ${exit}`}`,
    hint: 'give the account a shell, bash and coreutils; remove `command=` from its authorized_keys and ForceCommand from sshd_config',
  });
}
