import { inputError } from '../../../core/errors.js';
import { isCredential, isGenerated } from '../../../core/taskserv/secret-reach.js';
import { checkSecretName } from '../../../stores/secrets.js';
import type { Session } from '../../program/session.js';

/** Secret that a command names. */
export interface NamedPlace {
  /** Place for methods. */
  place: { workspace: string; name: string; infra?: string; shared?: true };
  /** Scope as commands print it: `infra shop`, `workspace default`, `shared`, `account`, `generated`. */
  scope: string;
}

/** Options for the scope. */
export interface ScopeFlags {
  infra?: string | undefined;
  shared?: boolean | undefined;
}

/**
 * Returns the place of a secret that a command line names. Credentials of accounts and generated secrets have their
 * scope in their names.
 *
 * @throws inputError `secret-name`, or `bad-arguments` for a scope that does not fit the name
 */
export async function findNamedPlace({ workspace }: Session, name: string, flags: ScopeFlags): Promise<NamedPlace> {
  checkSecretName(name);
  const { infra, shared } = checkScope(flags);
  const scope = await scopeInName(name);
  if (scope && infra !== undefined) {
    const what = scope === 'account' ? 'a credential of an account' : 'generated';
    throw badScope(`"${name}" is ${what}: leave out --infra`);
  }
  if (scope === 'generated') return { place: { workspace, name }, scope };
  if (scope || shared) return { place: { workspace, name, shared: true }, scope: scope ?? 'shared' };
  return infra === undefined
    ? { place: { workspace, name }, scope: `workspace ${workspace}` }
    : { place: { workspace, name, infra }, scope: `infra ${infra}` };
}

/**
 * Checks the options for the scope.
 *
 * @throws inputError `bad-arguments`
 */
export function checkScope({ infra, shared }: ScopeFlags): ScopeFlags {
  // An empty option means no option, as in earlier versions.
  if (infra && shared) throw badScope('--infra and --shared exclude each other');
  return { infra: infra || undefined, shared };
}

const badScope = (why: string) => inputError({ code: 'bad-arguments', what: 'read the command line', why });

async function scopeInName(name: string): Promise<'account' | 'generated' | undefined> {
  if (isGenerated(name)) return 'generated';
  const { providers } = await import('../../../providers/registry.generated.js');
  return isCredential(name, providers) ? 'account' : undefined;
}

/**
 * Rejects generated secrets.
 *
 * @throws inputError `bad-arguments` for a secret whose value a definition generates
 */
export function refuseGenerated({ place: { name }, scope }: NamedPlace, verb: 'import' | 'set'): void {
  if (scope !== 'generated') return;
  const why = 'its definition generates this secret';
  const hint = `provisioning secret rotate ${name}`;
  throw inputError({ code: 'bad-arguments', what: `${verb} the secret`, on: name, why, hint });
}
