import { cancellationSignal } from '@temporalio/activity';
import { ProvisioningError } from '../../../core/errors.js';
import { quote, sh } from '../../../core/host/shell.js';
import type { Scope } from '../../../core/machine/provider.js';
import { HOST_STATE } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import type { ScriptedHost } from './script-host.js';

/** What is written on a host that an infra manages. */
export const ownerMark = ({ uuid, workspace, infra }: Scope): string => `${uuid} ${workspace} ${infra}`;

/** Marks a host as ours unless it bears a mark already; prints the mark it has then. */
export const claimScript = (scope: Scope): string =>
  `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && cd ${HOST_STATE} && { [ -s owner ] || echo ${quote(ownerMark(scope))} >owner; } && cat owner`;

/** Marks a machine that was there as this infra's. */
export async function claim(host: ScriptedHost): Promise<void> {
  const transport = await host.open();
  const { stdout } = await transport.exec(claimScript(host.scope), { signal: cancellationSignal(), limitMs: SHORT_MS });
  refuseForeign(host, stdout.trim() || undefined);
}

/** Takes our mark off a machine that stays. Only our own: the host may have been taken over since. */
export async function leave({ scope, open }: ScriptedHost): Promise<void> {
  const transport = await open();
  await transport.exec(sh`[ "$(cat ${HOST_STATE}/owner 2>/dev/null)" = ${ownerMark(scope)} ] && rm -rf ${HOST_STATE}; true`, {
    limitMs: SHORT_MS,
  });
}

/** Throws `host-managed-by-another` for the mark of another infra. */
export function refuseForeign(host: Pick<ScriptedHost, 'scope' | 'server'>, owner: string | undefined): void {
  if (owner === undefined || owner.startsWith(`${host.scope.uuid} `)) return;
  const [uuid, workspace, infra] = owner.split(' ');
  throw new ProvisioningError({
    code: 'host-managed-by-another',
    blame: 'user',
    what: 'use the host',
    on: host.server,
    why: `infra "${infra}" of workspace "${workspace}" (${uuid}) manages it`,
    hint: `provisioning delete ${infra}, or take the host out of its definition, first; if that infra is gone for good, remove /var/lib/provisioning/owner on the host`,
  });
}
