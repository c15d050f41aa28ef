import { workflowInfo } from '@temporalio/workflow';
import { readWorkflowsVersion } from '../../core/engine/workflows-version.js';
import { inputError } from '../../core/errors.js';
import { LOOK_LASTS_MS, type MachinePlan } from '../../core/operation/machine-plan.js';
import type { WorkScope } from '../../core/operation/work-scope.js';
import { digestValue } from '../../core/plan/plan-lines.js';
import type { PlannedStep } from '../../core/plan/planned-step.js';
import { explains } from '../operation/held-to-plan.js';
import type { ActivityUser, AnyPhase } from '../operation/operation.js';
import { scopeOf } from './scope-of.js';

/** Asks the providers what is there; changes nothing. */
export async function lookAtMachines(
  operation: AnyPhase & ActivityUser<'planServers' | 'planKnown'>,
  work: WorkScope,
): Promise<MachinePlan> {
  if (work.ensureServers.length + work.removeServers.length === 0) return { servers: [], networks: [] };
  const plan = lookedEarly(operation) ?? (await askProviders(operation, work));
  // An existing host is adopted once; after that it is simply there.
  const servers = plan.servers.map((change) =>
    change.action === 'adopt' && operation.inventory.servers[change.server] ? { ...change, action: 'noop' as const } : change,
  );
  return { servers, networks: plan.networks };
}

/** The batch's early look, if it is fresh and the input did not change. */
function lookedEarly({ request: { batch }, changes }: AnyPhase): MachinePlan | undefined {
  const seen = changes === 0 ? batch?.seen : undefined;
  // The clocks of two machines may differ either way.
  return seen && Math.abs(Date.now() - seen.at) < LOOK_LASTS_MS ? seen : undefined;
}

async function askProviders(
  operation: AnyPhase & ActivityUser<'planServers' | 'planKnown'>,
  work: WorkScope,
): Promise<MachinePlan> {
  // One question to each provider: an account may have a queue of its own.
  const providers = [...new Set([...work.ensureServers, ...work.removeServers].map(({ provider }) => provider))];
  const summary = 'Compare the servers with their providers';
  const { planServers, planKnown } = operation.activities;
  const plans = await Promise.all(
    providers.map((provider) =>
      (isAsked(work, provider) ? planServers : planKnown).executeWithOptions(
        { summary: providers.length > 1 ? `${summary}: ${provider}` : summary },
        [
          {
            scope: scopeOf(operation),
            ensure: work.ensureServers.filter((spec) => spec.provider === provider).map(({ taskservs: _, ...spec }) => spec),
            remove: work.removeServers
              .filter((one) => one.provider === provider)
              .map(({ name, provider, spec }) => ({ name, provider, spec })),
          },
        ],
      ),
    ),
  );
  return { servers: plans.flatMap(({ servers }) => servers), networks: plans.flatMap(({ networks }) => networks) };
}

/** The version of workflows since which hosts that were there already are no question to anybody. */
const KNOWN_SINCE = 2;

/** Whether it takes the provider itself to say what there is. */
function isAsked({ ensureServers, removeServers }: WorkScope, provider: string): boolean {
  if (readWorkflowsVersion(workflowInfo().memo) < KNOWN_SINCE) return true;
  const of = (one: { provider: string }) => one.provider === provider;
  return ensureServers.filter(of).some(({ host }) => !host) || removeServers.filter(of).some(({ spec }) => !spec.host);
}

/** Actions on a machine, in plans and steps. */
export const VERBS: Record<NonNullable<PlannedStep['machine']>, string> = {
  create: 'Create the server',
  adopt: 'Adopt the host',
  update: 'Change the server',
  replace: 'Replace the server',
  delete: 'Delete the server',
  release: 'Let go of the host',
};

/** The lines of the preview that concern machines, in the order in which they are done. */
export function previewMachines(operation: AnyPhase, { servers, networks }: MachinePlan, work: WorkScope): PlannedStep[] {
  const wants = new Map(work.ensureServers.map(({ taskservs: _, ...spec }) => [spec.name, spec]));
  // A title does not say how large a machine is that is made.
  const wanted = (spec: unknown) => (spec !== undefined && explains(operation) ? { wants: digestValue(spec) } : {});
  const existing = new Set(work.removeServers.filter(({ spec }) => spec.host).map(({ name }) => name));
  const lines = servers.flatMap(({ server, action, changes, volumes, stopped }): PlannedStep[] => {
    if (action === 'noop') return [];
    const machine = action === 'delete' && existing.has(server) ? 'release' : action;
    const what = changes.length > 0 ? `: ${changes.join(', ')}` : '';
    const lost = volumes.length > 0 ? ` with its volumes ${volumes.join(', ')}` : '';
    const destructive = machine === 'replace' || machine === 'delete';
    const by = stopped ? operation.inventory.servers[server]?.stopped : undefined;
    const off = by ? ` (${by} stopped it)` : '';
    const title = `${VERBS[machine]} ${server}${lost}${what}${off}`;
    return [{ on: server, title, machine, ...(destructive ? { destructive } : {}), ...wanted(wants.get(server)) }];
  });
  const missing = networks
    .filter((network) => network.missing)
    .map(({ missing: _, ...network }): PlannedStep => {
      const { name } = network;
      return { on: `network/${name}`, title: `Create the network ${name}`, change: 'add', ...wanted(network) };
    });
  const gone = new Set(work.removeServers.map(({ name }) => name));
  const unused = listUnusedNetworks(operation, (name) => !gone.has(name)).map(
    ({ name }): PlannedStep => ({ on: `network/${name}`, title: `Delete the network ${name}`, change: 'remove' }),
  );
  return [...missing, ...lines.filter((line) => !isLast(line)), ...lines.filter(isLast), ...unused];
}

const isLast = ({ machine }: PlannedStep) => machine === 'delete' || machine === 'release';

const harmOf = ({ on, taskserv, title, data }: PlannedStep): string =>
  data ? `leave the data of ${taskserv} on ${data.leftOn?.join(', ')}, and ${on} begins without it` : `destroy: ${title}`;

/** Refuses what would be lost without anybody having asked for it by name or seen it in a preview. */
export function refuseUnseenDestruction({ request, progress }: AnyPhase): void {
  const { allowDestroy } = request;
  const unseen = progress.plan.filter(
    ({ destructive, on }) => destructive && allowDestroy !== true && !(Array.isArray(allowDestroy) && allowDestroy.includes(on)),
  );
  if (unseen.length === 0) return;
  throw inputError({
    code: 'destruction-not-allowed',
    what: 'begin the operation',
    on: unseen.map(({ on }) => on).join(', '),
    why: `this would ${[...new Set(unseen.map(harmOf))].join('; ')}`,
    hint: 'look at it with --check, then allow it with --allow-destroy, or name each server with --allow-destroy-of',
  });
}

/** Networks of the inventory that no kept server uses. Only an operation on the whole infra removes them. */
export function listUnusedNetworks({ inventory, request }: AnyPhase, isKept: (server: string) => boolean) {
  if (request.kind !== 'cluster') return [];
  const wanted =
    request.intent.verb === 'ensure' ? (request.definition ?? inventory.definition)?.servers.map(({ network }) => network) : [];
  const kept = Object.values(inventory.servers).filter(({ name }) => isKept(name));
  const used = new Set([...kept.map(({ spec }) => spec.network), ...(wanted ?? [])]);
  return Object.values(inventory.networks).filter(({ name }) => !used.has(name));
}
