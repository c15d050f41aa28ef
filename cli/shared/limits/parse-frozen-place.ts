import { inputError } from '../../../core/errors.js';
import { nameTenant } from './limited-tenant.js';

/**
 * Returns the place to freeze.
 *
 * @param place `WORKSPACE` or `WORKSPACE/INFRA`
 * @param all whether all workspaces are meant; the same for a tenant without a place
 * @throws inputError `bad-arguments`
 */
export function parseFrozenPlace(
  place: string | undefined,
  { all = false, tenant }: { all?: boolean | undefined; tenant?: string | undefined },
): { workspace: string; infra?: string; tenant?: string } {
  const what = 'read the place of the freeze';
  const hint = 'write WORKSPACE, WORKSPACE/INFRA, --all or --tenant NAME';
  if (all ? place !== undefined : place === undefined && tenant === undefined) {
    const why = all ? 'a place and --all are given' : 'no place is given';
    throw inputError({ code: 'bad-arguments', what, why, hint });
  }
  if (place === undefined) return { workspace: '*', ...nameTenant(tenant) };
  const [workspace = '', infra, ...more] = place.split('/');
  if (workspace === '' || workspace === '*' || infra === '' || more.length > 0)
    throw inputError({ code: 'bad-arguments', what, on: place.slice(0, 80), why: 'it is not a place', hint });
  return { workspace, ...(infra !== undefined && { infra }), ...nameTenant(tenant) };
}
