import { workflowInfo } from '@temporalio/workflow';
import type { DecidedService, DecideInput } from '../../activities/service/decide.js';
import type { ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { peersFor } from '../../core/definition/peers.js';
import { memoizeByKey } from '../../core/definition/service-order.js';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import { groupByKey } from '../../core/grouped.js';
import { type HostNames, namesFor, refersToItself } from '../../core/host/host-names.js';
import type { HostVolume } from '../../core/host/volume-mounts.js';
import { VOLUMES_UNIT } from '../../core/host/volumes-unit.js';
import type { Connection } from '../../core/machine/provider.js';
import type { ServerChange } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { explains } from '../operation/held-to-plan.js';
import type { ActivityUser, AnyPhase, DecisionState, ProgressView } from '../operation/operation.js';
import { formerServicesOf } from './former-services.js';
import { groupsOn } from './grouped-hosts.js';
import { volumesOf } from './host-volumes.js';
import { scopeOf } from './scope-of.js';
import { dataOf } from './worked-on.js';

/** Looks at a host and decides. */
export type DecidingHost = AnyPhase & ProgressView & DecisionState & ActivityUser<'decide'>;

export const groupWorkByServer = memoizeByKey((work: WorkScope) => ({
  ensureOn: groupByKey(work.ensureServices, ({ server }) => server.name),
  removeOn: groupByKey(work.removeServices, ({ server }) => server.name),
  wanted: new Map(work.ensureServers.map((server) => [server.name, server])),
}));

/** Questions about one host: about everything, or about one taskserv. Undefined for an unknown host. */
function questionOf(
  operation: AnyPhase & DecisionState,
  work: WorkScope,
  name: string,
  connection: Connection | undefined,
  volumes: HostVolume[],
  only?: string,
): DecideInput | undefined {
  const { ensureOn, removeOn } = groupWorkByServer(work);
  const ensure = ensureOn.get(name)?.[0];
  const remove = only ? [] : (removeOn.get(name) ?? []);
  const known = ensure?.server ?? remove[0]?.server.spec ?? operation.inventory.servers[name]?.spec;
  if (!known) return undefined;
  const { role, plan, provider, host } = known;
  const wanted = (ensure?.taskservs ?? []).filter((spec) => !only || spec.name === only);
  return {
    scope: scopeOf(operation),
    server: { name, role, plan, provider, ...(host ? { existing: true as const } : {}) },
    connection,
    ensure: wanted,
    remove: remove.map(({ taskserv, config, module }) => ({ taskserv, config, ...(module !== undefined && { module }) })),
    peers: peersFor(work.peers, [name], wanted),
    ...namesOf(operation, work, name, ensure?.taskservs ?? []),
    ...dataOf(operation, work, wanted),
    ...groupsOn(operation, work, wanted),
    ...explained(operation),
    former: formerServicesOf(operation, work, name, wanted),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}

/** Looks at one host, and decides. */
export async function decideOn(
  operation: DecidingHost,
  work: WorkScope,
  name: string,
  connection: Connection | undefined,
  only?: string,
  volumes: HostVolume[] = [],
): Promise<DecidedService[]> {
  const question = questionOf(operation, work, name, connection, volumes, only);
  if (!question) return [];
  const summary = `Look at ${name}${only ? ` again for ${only}` : ''}`;
  const decided = await operation.activities.decide.executeWithOptions({ summary }, [question]);
  operation.noteHostKey(name, decided[0]?.hostKey);
  return decided;
}

/** The volumes of a host that is there, as far as they are known. */
export function listKnownVolumes(operation: AnyPhase, work: WorkScope, name: string, change?: ServerChange): HostVolume[] {
  const spec = groupWorkByServer(work).wanted.get(name);
  return spec ? volumesOf(spec, operation.inventory.servers[name], change ?? { action: 'noop' }) : [];
}

/** The version of workflows since which hosts are looked at together. */
const TOGETHER_SINCE = 2;
/** Hosts of one activity: each has its own connection, and all of them one worker. */
const AT_ONCE = 10;

/**
 * Looks at hosts with few activities, because each is a turn of the operation. The result of a host is undefined if
 * the look failed for any reason: it is then looked at individually, with retries.
 */
export function lookTogether(
  operation: DecidingHost & ActivityUser<'decideHosts'>,
  work: WorkScope,
  names: readonly string[],
): Map<string, Promise<DecidedService[] | undefined>> {
  const looks = new Map<string, Promise<DecidedService[] | undefined>>();
  if (names.length < 2 || readWorkflowsVersion(workflowInfo().memo) < TOGETHER_SINCE) return looks;
  const questions = names.flatMap((name) => {
    const connection = operation.inventory.servers[name]?.connection;
    return questionOf(operation, work, name, connection, listKnownVolumes(operation, work, name)) ?? [];
  });
  for (let at = 0; at < questions.length; at += AT_ONCE) {
    const asked = questions.slice(at, at + AT_ONCE);
    const summary = `Look at ${asked.length} hosts: ${asked.map(({ server }) => server.name).join(', ')}`;
    const answers = operation.activities.decideHosts
      .executeWithOptions({ summary }, [{ hosts: asked }])
      .catch(() => asked.map(() => null));
    for (const [index, { server }] of asked.entries()) looks.set(server.name, seenOf(operation, server.name, answers, index));
  }
  return looks;
}

async function seenOf(operation: ProgressView, name: string, answers: Promise<(DecidedService[] | null)[]>, index: number) {
  const decided = (await answers)[index] ?? undefined;
  if (decided) operation.noteHostKey(name, decided[0]?.hostKey);
  return decided;
}

/** Looks at the volumes of one host, and decides. Undefined if nothing is needed. */
export async function decideVolumes(
  operation: AnyPhase & ActivityUser<'decide'>,
  { name, role, plan, provider }: ServerSpec,
  connection: Connection | undefined,
  volumes: HostVolume[],
): Promise<DecidedService | undefined> {
  const decided = await operation.activities.decide.executeWithOptions({ summary: `Look at the volumes of ${name}` }, [
    { scope: scopeOf(operation), server: { name, role, plan, provider }, connection, ensure: [], remove: [], peers: [], volumes },
  ]);
  return decided.find(({ taskserv }) => taskserv === VOLUMES_UNIT);
}

/** Readers of a preview need the changes of the steps. */
function explained(operation: AnyPhase) {
  const { check, diff } = operation.request;
  if (!explains(operation)) return {};
  return { explain: diff ? ('lines' as const) : ('changes' as const), ...(check ? {} : { digests: true as const }) };
}

/** The names that all services of a host need, whichever of them is decided now. */
export function namesOf(
  { inventory }: AnyPhase,
  { peers }: WorkScope,
  name: string,
  taskservs: TaskservSpec[],
): { names?: HostNames } {
  const others = new Set(peersFor(peers, [name], taskservs).map(({ server }) => server));
  const names = namesFor(name, others, inventory, refersToItself(name, taskservs));
  return names ? { names } : {};
}
