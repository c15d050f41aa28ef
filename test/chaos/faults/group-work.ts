import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { Definition } from '../../../core/definition/definition.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import type { PlannedStep } from '../../../core/plan/planned-step.js';
import { openSecrets } from '../../../stores/open-secrets.js';
import { keepCertificates } from '../../catalog/keep-certificates.js';
import { definitionOf } from '../../support/definition.js';
import { EtcdLedger } from '../../support/etcd-ledger.js';
import { clusterOf } from '../../support/etcd-load.js';
import { askMember, lookAtMember } from '../../support/etcd-member.js';
import { containersOf, repeatedSteps, shellOf, whyNoHosts } from '../../support/hosts.js';
import { eventually } from '../../support/operations.js';
import { strays } from '../findings.js';
import { type Former, judgeMembers } from '../group-findings.js';
import { existingInDocker } from '../hosts-seen.js';
import { judgeInventory, judgeOperations } from '../judge.js';
import type { Stage } from '../stage.js';

/** Infra of all rounds on a group. They share it, so that a round need not wait for its members. */
export const GROUP_INFRA = `chaos-group-${process.pid}`;

/** Servers that may be members. */
const SERVERS = ['a', 'b', 'c', 'd'];
const QUOTAS = ['1 GiB', '2 GiB'];
const ENSURE = { verb: 'ensure', prune: true } as const;

/** Milliseconds. A step of a member may wait a minute for the others, and an operation has several of them. */
const SETTLE_MS = 300_000;

const CONFIG = clusterOf(SERVERS);

const defineGroup = (servers: readonly string[], quota: string): Definition =>
  definitionOf({
    infra: GROUP_INFRA,
    provider: 'local',
    servers: servers.map((name) => ({ name, taskservs: [{ name: 'etcd', config: { ...CONFIG, quota } }] })),
  });

const namesIn = ({ servers }: Definition): string[] => servers.map(({ name }) => name);

const secretsOf = async ({ engine: { home, env }, infra }: Stage): Promise<string[]> => {
  const { secrets, close } = await openSecrets(home, env);
  try {
    const names = (await secrets.list()).filter((name) => name.includes(infra));
    if (names.length === 0) throw new Error('the group has no generated secrets');
    return names.sort();
  } finally {
    await close();
  }
};

/** Work on a group during a fault. */
export interface GroupWork {
  definition: Definition;
  former: Former;
  /** Names of the infra's secrets. */
  secrets: string[];
  ledger: EtcdLedger;
}

/** What an operation does to the group. */
type Change = 'found' | 'join' | 'leave' | 'replace' | 'restart';

function quotaOf(inventory: Inventory | undefined): number {
  const config = inventory?.definition?.servers[0]?.taskservs[0]?.config as { quota?: number } | undefined;
  return config?.quota ?? 0;
}

/** Draws what happens to a group. It has three members or four. */
function drawChange(stage: Stage, inventory: Inventory): Change {
  const isFull = Object.keys(inventory.servers).length === SERVERS.length;
  return stage.pick<Change>([isFull ? 'leave' : 'join', isFull ? 'leave' : 'join', 'replace', 'restart']);
}

/** Returns the definition after a change, and the server that it is about. */
function applyChange(stage: Stage, change: Change, inventory: Inventory): { definition: Definition; about?: string } {
  const present = SERVERS.filter((name) => inventory.servers[name]);
  const quota = QUOTAS[quotaOf(inventory) === 2 ** 30 ? 0 : 1] ?? '';
  const other = QUOTAS.find((one) => one !== quota) ?? '';
  if (change === 'restart') return { definition: defineGroup(present, other) };
  const about = change === 'join' ? SERVERS.find((name) => !present.includes(name)) : stage.pick(present);
  const wanted = SERVERS.filter((name) => (name === about ? change !== 'leave' : present.includes(name)));
  return { definition: defineGroup(wanted, quota), about };
}

const lookAtAll = (servers: readonly string[]) =>
  Promise.all(servers.map((server) => lookAtMember(server, shellOf(GROUP_INFRA, server))));

async function destroy(server = ''): Promise<void> {
  for (const id of await containersOf(GROUP_INFRA, server)) await new Docker().getContainer(id).remove({ force: true, v: true });
}

let ledgers = 0;
const openLedger = (): EtcdLedger => new EtcdLedger(GROUP_INFRA, `ledger-${++ledgers}`, SERVERS);

/** Has a cluster of three or four members, draws what an operation does to it, and starts a client that writes. */
export async function prepareGroup(stage: Stage): Promise<GroupWork> {
  await requireHosts(stage);
  if (!(await stage.inventory())) await stage.undisturbed({ intent: ENSURE, definition: defineGroup(['a', 'b', 'c'], '2 GiB') });
  const inventory = await stage.inventory();
  if (!inventory) throw new Error('the group has no inventory');
  const change = drawChange(stage, inventory);
  const { definition, about } = applyChange(stage, change, inventory);
  stage.moment.push(about ? `${change} ${about}` : change);
  const members = await lookAtAll(Object.keys(inventory.servers));
  const stay = members.filter(({ server }) => server !== about);
  const former = { cluster: members[0]?.cluster, ids: Object.fromEntries(stay.map(({ server, id }) => [server, id])) };
  const [ledger, secrets] = [openLedger(), await secretsOf(stage)];
  await eventually(async () => {
    if (ledger.count === 0) throw new Error(`nothing could be written: ${JSON.stringify(ledger.failed)}`);
  });
  if (change === 'replace') await destroy(about);
  return { definition, former, secrets, ledger };
}

/** Deletes the group, and prepares a first installation. */
export async function prepareFounding(stage: Stage): Promise<GroupWork> {
  await requireHosts(stage);
  if (await stage.inventory()) await stage.undisturbed({ intent: { verb: 'delete' } });
  stage.moment.push('found');
  const definition = defineGroup(['a', 'b', 'c'], '2 GiB');
  return { definition, former: { ids: {} }, secrets: await secretsOf(stage), ledger: openLedger() };
}

async function requireHosts(stage: Stage): Promise<void> {
  const why = await whyNoHosts();
  if (why) throw new Error(`no local hosts: ${why}`);
  await keepCertificates(stage.engine, stage.infra, CONFIG);
}

/** A moment of an operation: the beginning of one of its steps. */
interface Moment {
  on: string;
  taskserv?: string;
  title: string;
  /** Place among the steps of its service on its server. */
  index: number;
}

const isSame = (a: PlannedStep, b: PlannedStep) => a.on === b.on && a.taskserv === b.taskserv;

/** Draws a step among those that a preview has. */
async function drawMoment(stage: Stage, { definition }: GroupWork): Promise<Moment> {
  const { plan } = await stage.undisturbed({ intent: ENSURE, definition, check: true });
  if (plan.length === 0) throw new Error('the operation has no steps');
  // Most steps write files. Those that change the group, a process or a machine are drawn more often.
  const weighty = plan.filter(({ title }) => !/^(Write|Let) /.test(title));
  const step = stage.pick(weighty.length > 0 && stage.random() < 0.7 ? weighty : plan);
  const index = plan.filter((one) => isSame(one, step)).indexOf(step);
  stage.moment.push(`${step.on}: ${step.title}`);
  return { on: step.on, taskserv: step.taskserv, title: step.title, index };
}

/** Whether the operation shows that it does the step now. A step for a member that leaves is shown with that one. */
async function isShown(stage: Stage, operation: string, { on, taskserv, title }: Moment): Promise<boolean> {
  const { cells } = await (await stage.engine.client()).operations.progress({ operation });
  const running = cells.filter(({ state }) => state === 'running');
  return running.some(
    (cell) =>
      cell.step === `${title} at ${on}` ||
      (cell.server === on && cell.taskserv === taskserv && cell.step?.startsWith(title) === true),
  );
}

/** Waits on the host until its journal has the beginning of the step. */
async function isBegun(stage: Stage, operation: string, { on, taskserv, index }: Moment): Promise<boolean> {
  if (taskserv === undefined || (await containersOf(stage.infra, on)).length === 0) return false;
  const steps = `/var/lib/provisioning/operations/${operation}/${taskserv}/1/steps`;
  const wait = `for i in $(seq 50); do if grep -qx 'start ${index}' ${steps} 2>/dev/null; then echo begun; exit 0; fi; sleep 0.01; done`;
  return (await shellOf(stage.infra, on)(wait).catch(() => '')) === 'begun';
}

/**
 * Starts the operation, and waits until a drawn step of it begins.
 *
 * @returns undefined if the operation was over before
 */
export async function reachMoment(stage: Stage, work: GroupWork): Promise<string | undefined> {
  const moment = await drawMoment(stage, work);
  const operation = await stage.submit({ intent: ENSURE, definition: work.definition });
  const { temporal } = stage.engine;
  for (;;) {
    const [isThere, isOnHost] = await Promise.all([isShown(stage, operation, moment), isBegun(stage, operation, moment)]);
    if (isThere || isOnHost) return operation;
    const { status } = await temporal.workflow.getHandle(operation).describe();
    if (status.name !== 'RUNNING') return undefined;
    if (moment.taskserv === undefined) await sleep(20);
  }
}

/** Checks everything that must hold of a group after an operation that ended well despite the fault. */
export async function judgeGroup(stage: Stage, operation: string, work: GroupWork): Promise<void> {
  const { definition, former, ledger } = work;
  const names = namesIn(definition);
  await stage.settled(SETTLE_MS);
  await judgeOperations(stage);
  const { status, error } = await stage.result(operation);
  stage.demand(status === 'done', `it ended ${status}: ${error?.step} on ${error?.on}: ${error?.why}`);
  stage.add(strays(await existingInDocker(stage.infra), await stage.inventory()));
  for (const server of names)
    for (const line of await repeatedSteps(shellOf(stage.infra, server))) stage.find('doubled', `twice on ${server}: ${line}`);
  await judgeInventory(stage, definition);
  const again = await stage.undisturbed({ intent: ENSURE, definition });
  const done = again.plan.map(({ on, title }) => `${on}: ${title}`).join(', ');
  stage.demand(again.steps.executed === 0, `the next run did ${again.steps.executed} steps: ${done}`);
  await judgeLedger(stage, ledger, names);
  const members = await eventually(async () => {
    const all = await lookAtAll(names);
    if (new Set(all.map(({ revision }) => revision)).size > 1) throw new Error('the members have other revisions');
    return all;
  }, 15_000).catch(() => lookAtAll(names));
  stage.add(judgeMembers(members, names, former));
  const secrets = await secretsOf(stage);
  stage.demand(secrets.join() === work.secrets.join(), `the secrets are ${secrets.join()} instead of ${work.secrets.join()}`);
}

/** Checks that no member lacks what a client was told that the group has. */
async function judgeLedger(stage: Stage, ledger: EtcdLedger, servers: readonly string[]): Promise<void> {
  const before = ledger.count;
  await eventually(async () => {
    if (ledger.count === before) throw new Error(`nothing can be written any more: ${JSON.stringify(ledger.failed)}`);
  }, 30_000);
  const { acknowledged, open, longestGapMs, backwards } = await ledger.stop();
  stage.moment.push(`${acknowledged.length} writes, ${open} open, longest gap ${longestGapMs} ms`);
  stage.demand(backwards === 0, `${backwards} writes had no later revision than the write before`);
  for (const server of servers) {
    const missing = await ledger.missingOn(askMember(shellOf(stage.infra, server)));
    stage.demand(missing.length === 0, `${missing.length} acknowledged writes are not on ${server}: ${missing.slice(0, 5)}`);
  }
}
