import { inputError, ProvisioningError, unreachableError } from '../../../core/errors.js';
import { absentValue, type Fact, type Facts, factKey } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import type { Connection, Scope } from '../../../core/machine/provider.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { timeLeft } from '../../time-left.js';
import { LOOK_MS, type Look, type LookAnswer, PROBE_SECONDS, parseLook, renderLook } from '../look/look-script.js';
import { HOST_STATE } from '../paths.js';
import type { Target, Transports } from '../transport.js';
import type { Revealer } from './revealing.js';

/** A host of an infra. */
export interface HostRef {
  scope: Scope;
  server: string;
  connection: Connection;
}

export const targetOf = ({ scope, server, connection }: HostRef): Target => ({
  workspace: scope.workspace,
  infra: scope.infra,
  server,
  connection,
});

/** What is written on a host that an infra manages. */
export const ownerMark = ({ uuid, workspace, infra }: Scope): string => `${uuid} ${workspace} ${infra}`;

/** Marks a host as ours unless it bears a mark already; prints the mark it has then. */
export const claimScript = (scope: Scope): string =>
  `mkdir -p ${HOST_STATE} && chmod 700 ${HOST_STATE} && cd ${HOST_STATE} && { [ -s owner ] || echo ${quote(ownerMark(scope))} >owner; } && cat owner`;

export interface LookResult extends Omit<LookAnswer, 'facts'> {
  valueOf(fact: Fact<unknown>): { exit: number; stdout: string };
}

/** What is asked of a host: facts of several services, and checks. */
export interface Asked {
  facts: Facts[];
  /** Whose facts those are, in the same order; for errors. */
  services: string[];
  health: HealthCheck[];
}

/**
 * One remote execution that answers all facts and health checks of a host.
 *
 * @throws `host-managed-by-another` where the host bears another infra's mark; `look-late` with
 *   host, service and question where one has no answer in its time; `look-too-large`
 */
export async function look(
  transports: Transports,
  host: HostRef,
  ask: Asked,
  { reveal, hide }: Revealer,
  signal?: AbortSignal,
): Promise<LookResult> {
  const unique = new Map<string, Fact<unknown>>();
  for (const facts of ask.facts) for (const fact of Object.values(facts)) unique.set(factKey(fact), fact);
  const asked: Look = { facts: [...unique.values()], health: ask.health };
  const transport = await transports.open(targetOf(host));
  const { stdout, stderr, exit } = await transport.exec(renderLook(asked, reveal), {
    signal,
    limitMs: LOOK_MS,
    withinMs: timeLeft(),
  });
  let answer: LookAnswer;
  try {
    answer = parseLook(asked, stdout);
  } catch (error) {
    if (exit === 90)
      throw inputError({
        code: 'disk-full',
        what: 'look at the host',
        on: host.server,
        why: 'no temporary folder can be made; the disk is full or read-only',
      });
    throw unreachableError(
      {
        code: 'look-broken',
        what: 'look at the host',
        on: host.server,
        why: hide(stderr.trim()).slice(-300) || `the look ended with code ${exit}`,
      },
      { cause: error },
    );
  }
  refuseForeign(host, answer.owner);
  refuseFaults(host, ask, asked, answer);
  const order = [...unique.keys()];
  return { ...answer, valueOf: (fact) => answer.facts[order.indexOf(factKey(fact))] ?? { exit: 1, stdout: '' } };
}

/** Nothing can be decided where a question has no answer. A check without one is only not healthy. */
function refuseFaults({ server }: HostRef, { facts, services }: Asked, asked: Look, { late, facts: answers }: LookAnswer): void {
  const what = 'look at the host';
  if (late) {
    const why = `no answer within ${PROBE_SECONDS} s to what it has of ${late}, and that was ended`;
    throw unreachableError({ code: 'look-late', what, on: server, why });
  }
  const index = answers.findIndex(({ fault }) => fault !== undefined);
  const fact = asked.facts[index];
  if (!fact) return;
  const { fault = '' } = answers[index] ?? {};
  const owner = facts.findIndex((some) => Object.values(some).some((one) => factKey(one) === factKey(fact)));
  const name = Object.entries(facts[owner] ?? {}).find(([, one]) => factKey(one) === factKey(fact))?.[0] ?? '';
  const on = `${server}/${services[owner] ?? 'volumes'}`;
  const question = fact.kind === 'file' ? `the file ${fact.path}` : `the question "${name}"`;
  if (/larger/.test(fault)) throw inputError({ code: 'look-too-large', what, on, why: `${question}: ${fault}` });
  throw unreachableError({ code: 'look-late', what, on, why: `${question}: ${fault}` });
}

/** Throws `host-managed-by-another` for the mark of another infra. */
export function refuseForeign(host: HostRef, owner: string | undefined): void {
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

/** The values of facts on a host that does not exist yet. */
export function absentValues(facts: Facts): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)]));
}
