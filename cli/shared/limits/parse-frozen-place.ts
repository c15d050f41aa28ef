import { inputError } from '../../../core/errors.js';
import { nameTenant } from './limited-tenant.js';

/**
 * Returns the place to freeze.
 *
 * @param place `WORKSPACE` or `WORKSPACE/INFRA`
 * @param all whether all workspaces are meant; the same for a tenant without a place
 * @param env environment that the command line names: only the infras in it
 * @throws inputError `bad-arguments`
 */
export function parseFrozenPlace(
  place: string | undefined,
  { all = false, tenant, env }: { all?: boolean | undefined; tenant?: string | undefined; env?: string | undefined },
): { workspace: string; infra?: string; environment?: string; tenant?: string } {
  const what = 'read the place of the freeze';
  const hint = 'write WORKSPACE, WORKSPACE/INFRA, --all or --tenant NAME';
  if (all ? place !== undefined : place === undefined && tenant === undefined) {
    const why = all ? 'a place and --all are given' : 'no place is given';
    throw inputError({ code: 'bad-arguments', what, why, hint });
  }
  const more = { ...(env !== undefined && { environment: env }), ...nameTenant(tenant) };
  if (place === undefined) return { workspace: '*', ...more };
  const [workspace = '', infra, ...rest] = place.split('/');
  if (workspace === '' || workspace === '*' || infra === '' || rest.length > 0)
    throw inputError({ code: 'bad-arguments', what, on: place.slice(0, 80), why: 'it is not a place', hint });
  if (infra !== undefined && env !== undefined) {
    const why = 'an infra and --env are given';
    throw inputError({ code: 'bad-arguments', what, on: place.slice(0, 80), why, hint: `write ${workspace} --env ${env}` });
  }
  return { workspace, ...(infra !== undefined && { infra }), ...more };
}
