import { cancellationSignal } from '@temporalio/activity';
import { ProvisioningError } from '../../../core/errors.js';
import { quote, sh } from '../../../core/host/shell.js';
import type { Scope } from '../../../core/machine/provider.js';
import type { Sealer } from '../journal/sealed-journal.js';
import { HOST_STATE } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import type { ScriptedHost } from './script-host.js';

/** What is written on a host that an infra manages. */
export const ownerMark = ({ uuid, workspace, infra }: Scope): string => `${uuid} ${workspace} ${infra}`;

/** What the proof beside a mark is sealed for: that of one server, or of one life of an infra, cannot stand for another. */
const provenFor = ({ uuid, workspace, infra }: Scope, server: string): string => `owner/${workspace}/${infra}/${uuid}/${server}`;

/** The mark, sealed: it proves that this set-up has written it for this server. Base64. */
export const proofOf = ({ seal }: Pick<Sealer, 'seal'>, scope: Scope, server: string): string =>
  Buffer.from(seal(Buffer.from(ownerMark(scope)), provenFor(scope, server))).toString('base64');

/** Whether a proof is of this set-up, for this mark and this server. */
export async function proves({ open }: Pick<Sealer, 'open'>, proof: string, scope: Scope, server: string): Promise<boolean> {
  try {
    const opened = await open(Buffer.from(proof, 'base64'), provenFor(scope, server));
    return Buffer.from(opened).toString('utf8') === ownerMark(scope);
  } catch {
    return false;
  }
}

/** Where a proof is written first: by each script under a name of its own, since several come at once. */
const DRAFT = `${HOST_STATE}/owner.draft.$$`;

/** Bash that puts the proof beside the mark. */
export const keepProof = (proof: string): string =>
  `( umask 077; echo ${quote(proof)} >${DRAFT} && sync ${DRAFT} && mv ${DRAFT} ${HOST_STATE}/owner.sealed )`;

/** Marks a host as ours unless it bears a mark already; prints the mark it has then. */
export const claimScript = (scope: Scope, proof: string): string =>
  `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && cd ${HOST_STATE} && { [ -s owner ] || echo ${quote(ownerMark(scope))} >owner; } && cat owner && if [ "$(cat owner)" = ${quote(ownerMark(scope))} ]; then ${keepProof(proof)}; fi`;

/** Marks a machine that was there as this infra's. */
export async function claim(host: ScriptedHost, sealer: Sealer): Promise<void> {
  const transport = await host.open();
  const script = claimScript(host.scope, proofOf(sealer, host.scope, host.server));
  const { stdout } = await transport.exec(script, { signal: cancellationSignal(), limitMs: SHORT_MS });
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
