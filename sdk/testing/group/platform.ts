import type { AnyTaskserv, Facts, GroupContext, Member, Standing, Step } from '../../index.js';
import { replaceLost } from './disturb.js';
import type { Draw } from './draw.js';
import { giveModelShares, type ModelShares } from './model-shares.js';
import { BrokenPromise, type QuorumWorld, StepFailure } from './world.js';

/** How the steps of a taskserv act in the model, and what its facts find there. */
export interface GroupModel {
  /** Answers of a member's host, by the names of the group's facts. */
  answer(world: QuorumWorld, server: string): Record<string, unknown>;
  /** Facts of the taskserv itself. */
  find(world: QuorumWorld, server: string): Record<string, unknown>;
  /**
   * Does what a step does.
   *
   * @param given the values of the shares that it refers to, and the shares themselves, which take them
   * @throws StepFailure where its script fails
   */
  act(
    world: QuorumWorld,
    server: string,
    step: Step,
    draw: Draw,
    given: { values: Record<string, string>; shares: ModelShares },
  ): void;
  /** A member without a vote is in no list of the others: it leaves nothing there when it goes. */
  listsVotersOnly?: true;
  /** Whether it hands over the lead, or would if the member led. */
  handsOver(step: Step): boolean;
}

/** A group as it was seen, for the rules. */
export interface SeenGroup {
  asked: { taskserv: string; name: string; members: { server: string; installed?: true; config: unknown }[] };
  rules: { quorum: 'majority' | 'one' };
  context: GroupContext;
  /** All members, also those that leave. */
  all: Member[];
}

/** How a member stands in its group. */
export type RankInput = Standing & { joined: boolean };

/** The platform's rules for groups. */
export interface GroupRules {
  /**
   * Refuses steps that the group cannot do without.
   *
   * @throws if they are refused
   */
  refuse(seen: SeenGroup, server: string, decided: { steps: Step[]; repairs?: number[] }): void;
  /** When a member is worked on, among all: the lowest first, then as the definition has them. */
  rank(standing: RankInput | undefined, all: readonly (RankInput | undefined)[]): number;
  /**
   * Whether a member that the definition does not name any more has to be taken out of the group. Absent: whoever the group
   * lists.
   */
  leaves?(seen: SeenGroup, member: Member): boolean;
}

/** Rules that are left out, to see that histories need them. */
export type Omission = 'quorum' | 'second-look' | 'order' | 'lifetime';

/** A group under the platform. */
export interface Stage {
  taskserv: AnyTaskserv;
  config: unknown;
  model: GroupModel;
  rules: GroupRules;
  world: QuorumWorld;
  shares: ModelShares;
  draw: Draw;
  /** Members that the definition has now, in its order. */
  servers: string[];
  omitted: Omission | undefined;
  /** Lines of what happened. */
  log: string[];
  /** Changes of leaders when the work on the members began: a leader that leaves is one that the platform does not count. */
  moved: number;
  /** Something that may happen now. */
  between(): void;
}

/** Looks at all members, as the platform does. */
function look({ taskserv, config, model, world, servers }: Stage, leaving: readonly string[] = []): SeenGroup {
  const { group } = taskserv;
  if (!group) throw new Error(`${taskserv.name} has no groups`);
  const name = group.of(config) ?? '';
  const describe = (server: string): Member => {
    const node = world.node(server);
    const about = { server, address: server, machine: `${server}-${node.machine}` };
    if (!node.answers) return { ...about, state: 'silent' };
    const found = model.answer(world, server);
    const standing = group.standing(found);
    if (!node.installed && standing.group === undefined && standing.id === undefined && !standing.serves)
      return { ...about, state: 'expected' };
    return { ...about, state: 'seen', standing, found };
  };
  const members = servers.map(describe);
  const asked = [...servers, ...leaving].map((server) => ({
    server,
    ...(world.node(server).installed && { installed: true as const }),
    config,
  }));
  return {
    asked: { taskserv: taskserv.name, name, members: asked },
    rules: { quorum: group.quorum },
    context: { name, members },
    all: [...members, ...leaving.map(describe)],
  };
}

interface Sight {
  seen: SeenGroup;
  found: Record<string, unknown>;
}

const see = (stage: Stage, server: string): Sight => ({ seen: look(stage), found: stage.model.find(stage.world, server) });

function plan({ taskserv, config }: Stage, server: string, { seen, found }: Sight): Step[] {
  const host = { name: server, role: 'member', os: 'debian', arch: 'amd64', cores: 2, memoryMiB: 2048 };
  const context = { host, peers: [], version: taskserv.versions.default, group: seen.context };
  return taskserv.plan(config, found as Facts, context);
}

function standingOf({ seen }: Sight, server: string): RankInput | undefined {
  const standing = seen.context.members.find((member) => member.server === server)?.standing;
  return standing && { ...standing, joined: standing.group !== undefined };
}

function order(stage: Stage, sights: ReadonlyMap<string, Sight>): string[] {
  if (stage.omitted === 'order') return stage.servers;
  const standings = stage.servers.map((server) => {
    const sight = sights.get(server);
    return sight && standingOf(sight, server);
  });
  const ranked = stage.servers.map((server, index) => ({ server, rank: stage.rules.rank(standings[index], standings) }));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ server }) => server);
}

/** What is true when a member's turn begins, to judge what the platform does in it. */
interface Turn {
  led: boolean;
  served: boolean;
  /** A majority serves without it. */
  spared: boolean;
  handedOver: boolean;
}

function beginTurn({ world }: Stage, server: string): Turn {
  const { data } = world.node(server);
  const served = world.serves(server);
  const voters = (data && world.groups.get(data.group)?.list.filter(({ votes }) => votes).length) ?? 0;
  const others = served && data ? world.majority(data.group).length - 1 : 0;
  return { led: world.leads(server), served, spared: others * 2 > voters || voters === 1, handedOver: false };
}

const interrupts = (step: Step): boolean =>
  'service' in step && (step.service.state === 'stopped' || step.service.change === 'restart');

function judge({ world, model }: Stage, server: string, step: Step, turn: Turn): void {
  if (model.handsOver(step)) turn.handedOver = true;
  if (!interrupts(step) || !world.serves(server)) return;
  if (turn.served && !turn.spared) throw new BrokenPromise(`"${step.title}" on ${server} takes away the last majority`);
  if (
    turn.led &&
    world.leads(server) &&
    turn.spared &&
    !turn.handedOver &&
    world.groups.get(world.node(server).data?.group ?? '')?.list.length !== 1
  )
    throw new BrokenPromise(`"${step.title}" on ${server} ends the leader without handing over`);
}

function work(stage: Stage, server: string, first: Sight | undefined): void {
  const { world, rules, omitted, model, draw, log, shares } = stage;
  const turn = beginTurn(stage, server);
  const sight = omitted === 'second-look' && first ? first : see(stage, server);
  const steps = plan(stage, server, sight);
  const running = world.node(server).runs;
  if (omitted !== 'quorum')
    rules.refuse(sight.seen, server, { steps, ...(!running && { repairs: steps.map((_, index) => index) }) });
  for (const step of steps) {
    judge(stage, server, step, turn);
    const values = giveModelShares(stage, { server }, step);
    log.push(`  ${server}: ${step.title}`);
    model.act(world, server, step, draw, { values, shares });
    world.settle();
    stage.between();
    if (!world.node(server).answers) throw new StepFailure(`${server} does not answer`);
  }
  world.node(server).installed = true;
}

/**
 * Removes members that the definition does not have any more, by one that serves. First those that do not serve. They are
 * not among the members of the group then, as on the platform.
 */
function leave(stage: Stage, all: readonly string[]): void {
  const { taskserv, config, world, model, draw, log, rules, shares } = stage;
  const leaving = all.filter((name) => !stage.servers.includes(name));
  const isListed = (server: string) => [...world.groups.values()].some(({ list }) => list.some((one) => one.server === server));
  for (const server of leaving.sort((one, other) => Number(world.serves(one)) - Number(world.serves(other)))) {
    const seen = look(stage, leaving);
    const member = seen.all.find((one) => one.server === server);
    const goes = rules.leaves ? member && rules.leaves(seen, member) : isListed(server);
    if (!member || !(goes || world.node(server).installed)) continue;
    const other = stage.servers.find((name) => world.serves(name) && world.node(name).answers);
    if (!other) throw new StepFailure(`no member serves that could remove ${server}`);
    for (const step of taskserv.group?.leave?.(config, member, seen.context) ?? []) {
      const values = giveModelShares(stage, { server: other, leaving: server }, step);
      log.push(`  ${other}, for ${server}: ${step.title}`);
      model.act(world, other, step, draw, { values, shares });
      world.settle();
    }
    Object.assign(world.node(server), { runs: false, installed: false });
    world.settle();
  }
}

/**
 * Applies the definition: decides all members, then works on one after the other, each decided again right before. Ends
 * with the first failure, as the platform does.
 *
 * @param all servers of this and former definitions
 * @returns whether it came to its end
 * @throws BrokenPromise where the platform broke a promise
 */
export function apply(stage: Stage, all: readonly string[]): boolean {
  replaceLost(stage.world, stage.servers);
  try {
    leave(stage, all);
    // If nobody leads, the members elect a leader as soon as enough of them serve. The order is decided before that.
    const elects = !all.some((server) => stage.world.leads(server));
    stage.moved = stage.world.leadChanges + (elects ? 1 : 0);
    const sights = new Map(stage.servers.map((server) => [server, see(stage, server)]));
    for (const server of order(stage, sights)) {
      if (!stage.world.node(server).answers) throw new StepFailure(`${server} does not answer`);
      work(stage, server, sights.get(server));
      stage.between();
    }
    return true;
  } catch (error) {
    if (error instanceof BrokenPromise || error instanceof TypeError || error instanceof ReferenceError) throw error;
    stage.log.push(`  ended: ${(error as Error).message}`);
    return false;
  }
}
