import { inputError, type ProvisioningError } from '../../core/errors.js';

/** What sudo says, in English, of those whom it does not let become root without a person. */
const REFUSALS = [
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
    says: /sudo: (command )?not found|sudo: No such file/,
    why: 'there is no sudo',
    hint: 'install sudo on the host, or log in as root',
  },
] as const;

/** How a shell ends that does not find a program, or may not run it. */
const NO_PROGRAM: readonly number[] = [126, 127];
/** How logins are refused by the shell that an account has instead of one. */
const NO_LOGIN = /account is (currently )?not available|not allow(ed)? (shell|interactive)/i;

/**
 * The error for a host that did not begin with a script, if time does not heal it.
 *
 * @param said what it printed instead
 */
export function notBegun(on: string, exit: number, said: string): ProvisioningError | undefined {
  const refused = REFUSALS.find(({ says }) => says.test(said));
  if (refused) return inputError({ code: 'sudo-refused', what: 'become root', on, why: refused.why, hint: refused.hint });
  // One that ends well has run something else.
  if (exit !== 0 && !NO_PROGRAM.includes(exit) && !NO_LOGIN.test(said)) return undefined;
  return inputError({
    code: 'login-without-shell',
    what: 'run a script',
    on,
    why: `the login does not run commands: ${said.trim().split('\n').at(-1)?.slice(-300) || `it ended with code ${exit}`}`,
    hint: 'give the account a shell, bash and coreutils; remove `command=` from its authorized_keys and ForceCommand from sshd_config',
  });
}
