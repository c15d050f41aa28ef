import type { AnyTaskserv } from '../../index.js';
import { disturb, heal } from './disturb.js';
import { createDraw } from './draw.js';
import { ModelShares, passTime } from './model-shares.js';
import { apply, type GroupModel, type GroupRules, type Omission, type Stage } from './platform.js';
import { BrokenPromise, QuorumWorld } from './world.js';

/** A taskserv with groups, and how its steps act in the model. */
export interface HistoryInput {
  taskserv: AnyTaskserv;
  /** Its configuration, parsed, with a group. */
  config: unknown;
  model: GroupModel;
  /** The platform's rules. */
  rules: GroupRules;
  /** A rule that is left out. */
  omitted?: Omission;
}

/** A history that broke a promise. */
export interface BrokenHistory {
  seed: number;
  why: string;
  /** What happened, in order. */
  log: string[];
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const APPLIES = 5;
/** Each final apply ends at the first failure; nothing disturbs it. */
const FINAL_APPLIES = 4;

function createStage(played: HistoryInput, seed: number): Stage & { quiet: boolean } {
  const draw = createDraw(seed);
  const servers = NAMES.slice(0, draw.happens(0.2) ? 5 : 3);
  const stage: Stage & { quiet: boolean } = {
    ...played,
    omitted: played.omitted,
    ...{ world: new QuorumWorld(servers), shares: new ModelShares(), draw, servers, log: [], moved: 0, quiet: false },
    between() {
      passTime(stage);
      if (stage.quiet || !draw.happens(0.25)) return;
      const happened = disturb(stage.world, draw);
      if (happened) stage.log.push(happened);
    },
  };
  return stage;
}

/**
 * Whether an apply has to come to its end: all hosts answer, reach each other or get new machines, a majority of one group
 * serves, and no member leaves, which the others may not be able to do without.
 */
function canBeChanged({ world, servers }: Stage): boolean {
  const wanted = servers.map((server) => world.node(server));
  const isThere = wanted.every(({ answers, lost, connected }) => (answers || lost) && connected);
  const listed = [...world.groups.values()].flatMap(({ list }) => list.map(({ server }) => server));
  const installed = [...world.nodes.values()].filter((node) => node.installed).map(({ server }) => server);
  const leaves = [...listed, ...installed].some((server) => !servers.includes(server));
  return isThere && !leaves && wanted.some(({ server, answers }) => answers && world.serves(server));
}

/** Applies once, perhaps with another configuration, and judges how often the lead moved. */
function applyOnce(stage: Stage & { quiet: boolean }): void {
  const { world, draw, servers, log } = stage;
  if (draw.happens(0.4)) for (const server of servers) world.node(server).stale = true;
  stage.quiet = draw.happens(0.3);
  log.push(`apply to ${servers.join(', ')}${stage.quiet ? ', undisturbed' : ''}`);
  stage.moved = world.leadChanges;
  const isPossible = stage.quiet && canBeChanged(stage);
  const isDone = apply(stage, NAMES);
  const { moved } = stage;
  if (isPossible && !isDone)
    throw new BrokenPromise(`an undisturbed apply failed although a majority serves: ${log.at(-1)?.trim()}`);
  if (stage.quiet && world.leadChanges > moved + 1)
    throw new BrokenPromise(`one apply moved the lead ${world.leadChanges - moved} times`);
  stage.quiet = false;
  const pauses = draw.below(4);
  for (let pause = 0; pause < pauses; pause += 1) stage.between();
}

/** What people do if they are told to bring members back first. */
function bringBack(stage: Stage): void {
  const { world, log } = stage;
  if ([...world.groups.values()].some(({ list }) => list.some(({ server }) => !stage.servers.includes(server))))
    stage.servers = NAMES;
  for (const node of world.nodes.values()) {
    node.stale = false;
    if (node.runs || !world.entry(node)) continue;
    log.push(`people start ${node.server}`);
    world.start(node.server);
  }
}

/** Ends all faults, and expects that the platform makes one group of all members that has all writes. */
function expectHealthy(stage: Stage & { quiet: boolean }): void {
  const { world, log } = stage;
  stage.quiet = true;
  heal(world);
  log.push('all faults end');
  // A change may be refused as long as too few serve. People then withdraw it, and start what has data.
  if (!apply(stage, NAMES)) bringBack(stage);
  const isWhole = () =>
    stage.servers.every((server) => world.serves(server)) &&
    new Set(stage.servers.map((server) => world.node(server).data?.group)).size === 1;
  for (let time = 0; time < FINAL_APPLIES && !(apply(stage, NAMES) && isWhole()); time += 1) log.push('apply again');
  if (!isWhole()) throw new BrokenPromise('the group is not whole in the end');
  const [first = ''] = stage.servers;
  const { data } = world.node(first);
  const listed = (data && world.groups.get(data.group)?.list) ?? [];
  const counted = stage.model.listsVotersOnly ? listed.filter(({ votes }) => votes) : listed;
  const former = counted.flatMap(({ server }) => (stage.servers.includes(server) ? [] : [server]));
  if (former.length > 0) throw new BrokenPromise(`${former.join(', ')} is no member any more, and counts in the end`);
  if (data && data.writes < (world.groups.get(data.group)?.acknowledged ?? 0))
    throw new BrokenPromise('a write is missing in the end');
}

/**
 * Plays one history: a group is founded, changed, disturbed at every step, and healed. What happens is drawn by the seed.
 *
 * @returns undefined if all promises were kept
 */
export function playHistory(played: HistoryInput, seed: number): BrokenHistory | undefined {
  const stage = createStage(played, seed);
  try {
    for (let time = 0; time < APPLIES; time += 1) {
      if (time > 1 && stage.draw.happens(0.15)) stage.servers = NAMES.slice(0, stage.servers.length === 3 ? 5 : 3);
      applyOnce(stage);
    }
    expectHealthy(stage);
    return undefined;
  } catch (error) {
    if (error instanceof BrokenPromise) return { seed, why: error.message, log: stage.log };
    throw error;
  }
}

/**
 * Plays histories until one breaks a promise.
 *
 * @param count seeds from 0 up
 */
export function playHistories(played: HistoryInput, count: number): BrokenHistory | undefined {
  for (let seed = 0; seed < count; seed += 1) {
    const broken = playHistory(played, seed);
    if (broken) return broken;
  }
  return undefined;
}
