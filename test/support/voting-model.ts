import type { AnyTaskserv } from '../../sdk/index.js';
import { type GroupModel, planOf, type QuorumWorld, StepFailure } from '../../sdk/testing/index.js';

/** A service whose members decide by majority, for the model. */
export interface VotingService {
  taskserv: AnyTaskserv;
  /** Configuration of a group, as it is written. */
  written: Record<string, unknown>;
  /** Its systemd unit. */
  unit: string;
  /** Facts of a host on which everything is as planned, without the unit. */
  facts: Record<string, unknown>;
  /** Answers of a member's host. */
  answer: GroupModel['answer'];
  /** What further steps do, by their titles. */
  acts?: readonly [RegExp, (world: QuorumWorld, server: string) => void][];
  handsOver: GroupModel['handsOver'];
  listsVotersOnly?: true;
  /** Its hosts have a private address, as those of a cluster need it: their name. */
  isAddressed?: true;
  /** Its own step that keeps the quorum, by its title: left out together with the platform's rule. */
  keepsQuorum?: RegExp;
}

/** Leaves out a service's own step that keeps the quorum. */
export const omitOwnQuorum = (service: VotingService): VotingService =>
  service.keepsQuorum ? { ...service, acts: [[service.keepsQuorum, () => {}], ...(service.acts ?? [])] } : service;

/** What steps do in the model whatever the service is, by their titles. */
const ACTS: readonly [
  RegExp,
  (world: QuorumWorld, server: string, named: string, pick: <T>(of: readonly T[]) => T | undefined) => void,
][] = [
  [
    /^Found the \S+ cluster/,
    (world, server) => {
      if (world.servingGroup(server)) throw new StepFailure('a member of the cluster answers');
      if (!world.node(server).data) world.node(server).founds = true;
    },
  ],
  [
    /^Add (\S+) to the \S+ cluster/,
    (world, server) => {
      if (!world.node(server).data) world.add(server);
    },
  ],
  [/^Start /, (world, server) => world.start(server)],
  [/^Stop /, (world, server) => world.stop(server)],
  [
    /^Restart /,
    (world, server) => {
      world.stop(server);
      world.start(server);
    },
  ],
  [/^Give (\S+) its vote/, (world, server) => world.promote(server)],
  [/^Keep the former data/, (world, server) => world.putAside(server)],
  [
    /^Hand over the lead/,
    (world, server, _, pick) => {
      world.moveLead(server, pick);
    },
  ],
  [/^Remove (\S+) from the \S+ cluster/, (world, server, named) => world.remove(server, named)],
  [/^(Install|Write|Let|Check) /, () => {}],
];

/** A service with its model, to play histories of. */
export interface PlayedService {
  taskserv: AnyTaskserv;
  config: unknown;
  model: GroupModel;
}

/** Creates the model of a service. Its files are as planned for the members of each look. */
export function createVotingModel(service: VotingService): PlayedService {
  const { taskserv, written, answer, handsOver } = service;
  const hostOf = (name: string) => ({ name, ...(service.isAddressed && { privateAddress: name }) });
  const planned = new Map<string, Record<string, unknown>>();
  function factsFor(server: string, members: readonly string[]): Record<string, unknown> {
    const key = [server, ...members].join(' ');
    const known = planned.get(key);
    if (known) return known;
    const group = Object.fromEntries(members.map((name) => [name, 'expected' as const]));
    const { found } = planOf(taskserv, { config: written, host: hostOf(server), group, facts: service.facts, steps: [] });
    planned.set(key, found);
    return found;
  }
  const played: AnyTaskserv = {
    ...taskserv,
    plan: (config, found, context) => {
      const members = context.group?.members.map(({ server }) => server) ?? [];
      const { host } = context;
      const around = { ...context, host: { ...host, ...hostOf(host.name) } };
      return taskserv.plan(config, { ...factsFor(host.name, members), ...found }, around);
    },
  };
  const model: GroupModel = {
    answer,
    handsOver,
    ...(service.listsVotersOnly && { listsVotersOnly: true }),
    find(world, server) {
      const node = world.node(server);
      const isNew = !node.installed && !node.data;
      const unit = { name: service.unit, active: node.runs, enabled: !isNew, stale: node.stale };
      return { unit };
    },
    act(world, server, step, draw) {
      // A step that enables a unit also starts it, if a step before has stopped it.
      const done = step.title.replace(/^Enable /, 'Start ');
      for (const [title, act] of [...(service.acts ?? []), ...ACTS]) {
        const [found, named = ''] = title.exec(done) ?? [];
        if (found !== undefined) return act(world, server, named, draw.one);
      }
      throw new Error(`the model does not know "${step.title}"`);
    },
  };
  return { taskserv: played, config: taskserv.config.parse(written), model };
}
