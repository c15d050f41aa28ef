import { askSecrets } from '../../client/ask-secrets.js';
import { ProvisioningError } from '../../core/errors.js';
import { isGenerated } from '../../core/taskserv/secret-reach.js';
import type { Problem } from '../../definition/source/problem.js';
import { environmentKey } from '../../stores/secrets.js';
import type { Context } from '../context.js';

/** Names of set secrets for a workspace's definitions, including those of the caller's environment. */
export interface SecretNames {
  has(name: string, infra: string): boolean;
  /** Warnings that names could not be checked, if a definition needed any. */
  warningsFor(file: string): Problem[];
}

/**
 * Error codes if a team's worker does not answer or the caller may not list secrets. Missing secrets are then reported
 * when they are used.
 */
const UNCHECKED: ReadonlySet<string> = new Set(['forbidden', 'no-worker', 'unknown-workspace']);
/** Maximum number of names that the warning lists. */
const NAMED = 5;

/**
 * Queries the worker for the secret names that definitions of a workspace may use, without values. Without a worker, a
 * local home answers itself (`WITHOUT_WORKER`). If a team's worker does not answer, all names count as set and
 * `warningsFor` returns a warning. This allows checking files without a platform.
 */
export async function readSecretNames(context: Pick<Context, 'home' | 'env' | 'client' | 'workspace'>): Promise<SecretNames> {
  const given = (name: string): boolean => context.env[environmentKey(name)] !== undefined;
  try {
    const { workspace } = context;
    const listed = await askSecrets(context, (secrets) => secrets.list({ workspace }));
    const wide = new Set(listed.filter(({ infra, name }) => infra === undefined || isGenerated(name)).map(({ name }) => name));
    const narrow = new Set(listed.map(({ name, infra }) => `${infra}\n${name}`));
    return {
      has: (name, infra) => wide.has(name) || narrow.has(`${infra}\n${name}`) || given(name),
      warningsFor: () => [],
    };
  } catch (error) {
    if (!(error instanceof ProvisioningError && UNCHECKED.has(error.details.code))) throw error;
    return uncheckedNames(error, given);
  }
}

function uncheckedNames(error: ProvisioningError, given: (name: string) => boolean): SecretNames {
  const asked = new Set<string>();
  return {
    has(name) {
      if (!given(name)) asked.add(name);
      return true;
    },
    warningsFor(file) {
      if (asked.size === 0) return [];
      const names = [...asked].sort();
      const rest = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
      const { code, why } = error.details;
      const message = `it was not checked whether these secrets are set: ${names.slice(0, NAMED).join(', ')}${rest}: ${why}`;
      return [{ file, line: 1, column: 1, path: '', message, ...(code === 'no-worker' && { suggestion: 'provisioning up' }) }];
    },
  };
}
