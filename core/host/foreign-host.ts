import { ProvisioningError } from '../errors.js';
import type { Scope } from '../machine/call-context.js';
import { NAME } from '../names.js';
import type { HostMark } from '../recovery/host-record.js';
import { isWorkspace } from '../tenant-names.js';
import { quote } from './shell.js';

/** Folder of a host's journals and of its mark: the managing infra. Only root reads it. */
export const HOST_STATE = '/var/lib/provisioning';

/** How a script ends on a host that another infra manages. */
export const FOREIGN = 97;
/** Begins the line on standard error that says whose the host is. */
export const FOREIGN_PREFIX = '@foreign';

/**
 * Script that ends on a host with the mark of another infra. It starts no process. An unreadable mark counts as the
 * mark of another infra. An empty mark counts as no mark, for an infra that claims the host.
 */
export const refuseForeignMark = ({ uuid }: Pick<Scope, 'uuid'>): string =>
  `if [ -s ${HOST_STATE}/owner ]; then owned_by=; { IFS= read -r owned_by <${HOST_STATE}/owner; } 2>/dev/null
case "$owned_by" in ${quote(`${uuid} `)}*) unset owned_by ;; *) printf '\\n%s %s\\n' ${FOREIGN_PREFIX} "$owned_by" >&2; exit ${FOREIGN} ;; esac; fi`;

/** Whose mark a text is; a text that is not such a mark counts as one of another set-up. */
export function markIn(text: string): Omit<HostMark, 'proven'> {
  const [, uuid, workspace, infra] = /^([\w-]{1,64}) (\S+) (\S+)\n?$/.exec(text) ?? [];
  if (uuid && workspace && infra && isWorkspace(workspace) && NAME.test(infra)) return { uuid, workspace, infra };
  return { uuid: 'unreadable', workspace: 'unknown', infra: 'unknown' };
}

/** The error for a host that another infra manages; undefined if the script did not end on its mark. */
export function foreignHost(server: string, { exit, stderr }: { exit?: number; stderr: string }): ProvisioningError | undefined {
  const said = exit === FOREIGN ? new RegExp(`^${FOREIGN_PREFIX} (.*)$`, 'm').exec(stderr) : null;
  if (!said) return undefined;
  const { uuid, workspace, infra } = markIn(said[1] ?? '');
  return new ProvisioningError({
    code: 'host-managed-by-another',
    blame: 'user',
    what: 'use the host',
    on: server,
    why: `infra "${infra}" of workspace "${workspace}" (${uuid}) manages it`,
    hint: `delete that infra (provisioning delete ${infra}), or remove the host from its definition first; if the infra no longer exists, remove ${HOST_STATE}/owner on the host`,
  });
}
