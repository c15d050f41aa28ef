/**
 * Measures the planning of a large infra: the product's own way from definition and inventory to the ordered work,
 * without calls to providers and hosts. It alternates with a copy of the same definition through JSON. `RUNS` (9), and
 * `SIZES` (1250,12500), the two numbers of servers to compare.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createPlanServers } from '../../activities/machine/plan-servers.js';
import type { Definition } from '../../core/definition/definition.js';
import { peersFor } from '../../core/definition/peers.js';
import { servicesInOrder } from '../../core/definition/service-order.js';
import type { Inventory } from '../../core/infra/inventory.js';
import type { FoundServer } from '../../core/machine/provider.js';
import type { ServerChange } from '../../core/operation/machine-plan.js';
import type { OperationRequest } from '../../core/operation/operation.js';
import { workScopeOf } from '../../core/operation/work-scope.js';
import { diffServer } from '../../providers/demo/servers/describe.js';
import { definitionOf } from '../../test/support/definition.js';
import { largeFile, recordedAs } from '../../test/support/large.js';
import { previewMachines } from '../../workflows/runbook/decide-machines.js';
import { median } from '../measure.js';
import { keepResult, machine, printTable } from '../report.js';

const GOAL_MS = 100;
const GOAL_GROWTH = 12;
const RUNS = Number(process.env.RUNS ?? 9);
const SIZES = (process.env.SIZES ?? '1250,12500').split(',').map(Number);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Case {
  definition: Definition;
  inventory: Inventory;
  request: OperationRequest;
  compare(scope: ReturnType<typeof workScopeOf>): Promise<ServerChange[]>;
}

/**
 * Creates an infra with changes: a tenth of its servers is missing, a tenth has another size, some are removed, and
 * some services are new.
 */
function caseOf(servers: number): Case {
  const definition = definitionOf(largeFile({ infra: 'large', servers }));
  const inventory = recordedAs(definition);
  const found: FoundServer[] = [];
  Object.values(inventory.servers).forEach((server, index) => {
    if (index % 10 === 3) delete inventory.servers[server.name];
    else found.push(foundOf(server, index % 10 === 5 ? 'another' : server.spec.plan.name));
    if (index % 10 === 7) delete inventory.servers[server.name]?.services.nginx;
  });
  for (let index = 0; index < servers / 50; index++) {
    const [first] = Object.values(inventory.servers);
    if (first)
      inventory.servers[`old-${index}`] = { ...first, name: `old-${index}`, spec: { ...first.spec, name: `old-${index}` } };
  }
  const connection = {
    servers: { list: async () => found, read: async () => undefined, diff: diffServer },
    networks: { read: async () => ({}), diff: () => ({ action: 'noop' }) },
  };
  const planServers = createPlanServers({ connectionOf: async () => connection } as never);
  const environment = new MockActivityEnvironment();
  return {
    definition,
    inventory,
    request: {
      id: 'cluster-ensure-large-1',
      kind: 'cluster',
      workspace: 'default',
      infra: 'large',
      intent: { verb: 'ensure', prune: true },
      definition,
      // A preview explains its plan. Only a running workflow knows whether another operation does.
      check: true,
      actor: 'bench',
    },
    async compare({ ensureServers, removeServers }) {
      const input = { scope: inventory, ensure: ensureServers, remove: removeServers };
      return ((await environment.run(planServers, input)) as { servers: ServerChange[] }).servers;
    },
  };
}

function foundOf({ name, id, connection, spec }: Inventory['servers'][string], plan: string): FoundServer {
  const { image, labels, volumes, network, zone } = spec;
  return { name, id, status: 'running', plan, image, labels, zone, network, volumes: volumes.map((one) => one.name), connection };
}

/** Performs all decisions that need no host, and returns the amount of work. */
async function plan({ request, inventory, compare }: Case): Promise<number> {
  const work = workScopeOf(request, inventory);
  const changes = await compare(work);
  const lines = previewMachines({ inventory, request } as never, { servers: changes, networks: [] }, work);
  const services = servicesInOrder(work);
  let looked = 0;
  for (const { server, taskservs } of work.ensureServices)
    looked += peersFor(
      work.peers,
      [server.name],
      taskservs.filter(({ name }) => name !== 'prometheus'),
    ).length;
  const todo = services.filter(({ server, spec }) => inventory.servers[server.name]?.services[spec.name]?.config !== spec.config);
  if (looked === 0 || lines.length === 0 || work.removeServers.length === 0) throw new Error('nothing was planned');
  return services.length + todo.length + lines.length;
}

const copy = async ({ definition }: Case) => JSON.parse(JSON.stringify(definition)).servers.length as number;

/** Measures wall-clock and processor time. The processor time is more meaningful on a shared machine. */
async function time(work: () => Promise<number>): Promise<{ wall: number; cpu: number }> {
  // Do not measure the garbage of the former run.
  collectGarbage();
  const [start, used] = [process.hrtime.bigint(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { wall: Number(process.hrtime.bigint() - start) / 1e6, cpu: (user + system) / 1000 };
}

const rows = [];
for (const servers of SIZES) {
  const one = caseOf(servers);
  const resources = one.definition.servers.reduce((sum, { taskservs }) => sum + taskservs.length, 0);
  const times = { plan: [] as number[], cpu: [] as number[], copy: [] as number[] };
  // The first turns warm up the compiler and do not count.
  for (let turn = -3; turn < RUNS; turn++) {
    const [planned, copied] = [await time(() => plan(one)), await time(() => copy(one))];
    if (turn < 0) continue;
    times.plan.push(planned.wall);
    times.cpu.push(planned.cpu);
    times.copy.push(copied.wall);
  }
  rows.push({ servers, resources, planMs: median(times.plan), planCpuMs: median(times.cpu), copyMs: median(times.copy) });
}
const [small, large] = rows as [(typeof rows)[0], (typeof rows)[0]];
const growth = large.planMs / small.planMs;
process.stdout.write(`${machine()}; medians of ${RUNS} runs each, in turn\n`);
printTable(
  ['services', 'servers', 'planned in', 'processor', 'definition copied in', 'ratio', 'goal'],
  rows.map(({ servers, resources, planMs, planCpuMs, copyMs }, index) => [
    String(resources),
    String(servers),
    `${planMs.toFixed(1)} ms`,
    `${planCpuMs.toFixed(1)} ms`,
    `${copyMs.toFixed(1)} ms`,
    (planMs / copyMs).toFixed(2),
    index === 0 ? `under ${GOAL_MS} ms` : `at most ${GOAL_GROWTH} times the first`,
  ]),
);
const reached = small.planMs < GOAL_MS && growth <= GOAL_GROWTH;
process.stdout.write(
  `${reached ? 'reached' : 'MISSED'}: ${small.planMs.toFixed(1)} ms of ${GOAL_MS}, growth ${growth.toFixed(1)} of ${GOAL_GROWTH}\n`,
);
await keepResult('plan', { runs: RUNS, goalMs: GOAL_MS, goalGrowth: GOAL_GROWTH, growth, sizes: rows });
