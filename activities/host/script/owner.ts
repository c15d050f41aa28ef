import { cancellationSignal } from '@temporalio/activity';
import { unreachableError } from '../../../core/errors.js';
import { FORMER_STATE_FOLDER } from '../../../core/host/before.js';
import { refuseForeignMark } from '../../../core/host/foreign-host.js';
import { quote, sh } from '../../../core/host/shell.js';
import type { Scope } from '../../../core/machine/call-context.js';
import { keepMark, ownerMark } from '../host-mark.js';
import { hostFault, SAYS_WHY_UNWRITABLE, UNWRITABLE } from '../journal/host-fault.js';
import type { Sealer } from '../journal/sealed-journal.js';
import { HOST_STATE } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import { bindToOwnHost } from './own-host.js';
import type { ScriptedHost } from './scripted-host.js';

/** Purpose of the proof next to a mark: the proof of one server, or of one life of an infra, cannot replace another. */
const provenFor = ({ uuid, workspace, infra }: Scope, server: string): string => `owner/${workspace}/${infra}/${uuid}/${server}`;

/** The mark, sealed: it proves that this set-up has written it for this server. Base64. */
export const createProof = ({ seal }: Pick<Sealer, 'seal'>, scope: Scope, server: string): string =>
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

/** Draft of a proof. Each script has its own name for it, because several may run at once. */
const DRAFT = `${HOST_STATE}/owner.draft.$$`;

/** Bash that puts the proof beside the mark. */
export const keepProof = (proof: string): string =>
  `( umask 077; echo ${quote(proof)} >${DRAFT} && sync ${DRAFT} && mv ${DRAFT} ${HOST_STATE}/owner.sealed )`;

/**
 * Marks a host unless it has a mark. Refused if the mark is another infra's. From then on the host's former state is
 * recorded. For a host that already had this infra's mark, that state is unknown.
 */
export const claimScript = (scope: Scope, proof: string): string =>
  `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && cd ${HOST_STATE} && { [ -s owner ] || mkdir -p -m 0700 ${FORMER_STATE_FOLDER}; } && ${keepMark(ownerMark(scope))} || exit ${UNWRITABLE}\n${refuseForeignMark(scope)}\n${keepProof(proof)}`;

/**
 * Marks a machine that was there as this infra's.
 *
 * @throws `host-not-marked`, or what is amiss with the host
 */
export async function claim(host: ScriptedHost, sealer: Sealer): Promise<void> {
  const transport = bindToOwnHost(await host.open(), host);
  const script = claimScript(host.scope, createProof(sealer, host.scope, host.server));
  const said = await transport.exec(`${SAYS_WHY_UNWRITABLE}\n${script}`, { signal: cancellationSignal(), limitMs: SHORT_MS });
  if (said.exit === 0) return;
  const about = { what: 'mark the host', on: host.server };
  const why = said.stderr.trim().slice(-300) || `the script ended with code ${said.exit}`;
  throw hostFault(about.what, about.on, said.stderr) ?? unreachableError({ ...about, code: 'host-not-marked', why });
}

/** Takes our mark off a machine that stays. Only our own: the host may have been taken over since. */
export async function leave({ scope, open }: ScriptedHost): Promise<void> {
  const transport = await open();
  await transport.exec(sh`[ "$(cat ${HOST_STATE}/owner 2>/dev/null)" = ${ownerMark(scope)} ] && rm -rf ${HOST_STATE}; true`, {
    limitMs: SHORT_MS,
  });
}
