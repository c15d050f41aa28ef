import { quote } from '../../core/host/shell.js';
import type { Scope } from '../../core/machine/provider.js';
import { NAME } from '../../core/names.js';
import type { HostMark } from '../../core/recovery/host-record.js';
import { HOST_STATE } from './paths.js';

/** How a script ends on a host that another infra manages. */
export const FOREIGN = 97;
/** Begins the line on standard error that says whose the host is. */
export const FOREIGN_SAID = '@foreign';

/** What is written on a host that an infra manages. */
export const ownerMark = ({ uuid, workspace, infra }: Scope): string => `${uuid} ${workspace} ${infra}`;

/**
 * Bash that ends a script on a host that bears the mark of another infra. It starts no process. A mark that cannot be
 * read counts as the mark of another infra; an empty one is no mark, as for an infra that claims the host.
 */
export const refuseForeignMark = ({ uuid }: Pick<Scope, 'uuid'>): string =>
  `if [ -s ${HOST_STATE}/owner ]; then owned_by=; { IFS= read -r owned_by <${HOST_STATE}/owner; } 2>/dev/null
case "$owned_by" in ${quote(`${uuid} `)}*) unset owned_by ;; *) printf '\\n%s %s\\n' ${FOREIGN_SAID} "$owned_by" >&2; exit ${FOREIGN} ;; esac; fi`;

/**
 * Bash that marks a host, in its folder for journals, unless it bears a mark already. The mark appears whole and at once:
 * of two infras that come at the same moment one gets the host, and a script that reads it meanwhile sees no half of it.
 */
export const keepMark = (mark: string): string =>
  `{ [ -s owner ] || { { [ ! -e owner ] || [ -s owner ] || rm -f owner; } && echo ${quote(mark)} >owner.new.$$ && { ln owner.new.$$ owner 2>/dev/null; rm -f owner.new.$$; }; }; }`;

/** Whose mark a text is; a text that is no mark of ours is one of another set-up. */
export function markIn(text: string): Omit<HostMark, 'proven'> {
  const [, uuid, workspace, infra] = /^([\w-]{1,64}) (\S+) (\S+)\n?$/.exec(text) ?? [];
  if (uuid && workspace && infra && NAME.test(workspace) && NAME.test(infra)) return { uuid, workspace, infra };
  return { uuid: 'unreadable', workspace: 'unknown', infra: 'unknown' };
}
