import { type Group, type GroupContext, inputError, type PlanContext, type Standing, type Step } from '../../sdk/index.js';
import { initConfig, joinConfig } from './kubeadm-config.js';
import { type FoundHost, type FoundMember, memberFact } from './kubernetes-ask.js';
import type { KubernetesConfig } from './kubernetes-config.js';
import { initStep, joinSettings, joinStep, type KubernetesMember, leaveStep, makeJoin, makeNodeToken } from './kubernetes-steps.js';

const found = (member: KubernetesMember): FoundMember | undefined => (member.state === 'seen' ? member.found?.member : undefined);

/** A control plane decides if it is a member of etcd with a vote, a majority agrees with it, and its API server is ready. */
const decides = ({ id, agrees, ready, etcd }: FoundMember): boolean =>
  agrees && ready && etcd.some((one) => one.id === id && !one.learner);

function explain(member: FoundMember): string | undefined {
  const { role, runs, etcd, id, agrees, ready } = member;
  if (!role) return 'it has not joined yet';
  if (!runs) return 'its kubelet does not run';
  if (role === 'worker') return undefined;
  if (etcd.length === 0) return 'its etcd does not answer';
  const own = etcd.find((one) => one.id === id);
  if (id !== undefined && !own) return 'it is not in the list of members of etcd any more';
  if (own?.learner) return 'it gets the data, and has no vote yet';
  if (!agrees) return 'no majority of etcd agrees with it';
  return ready ? undefined : 'its API server is not ready';
}

/** What a node says of itself. A worker has no vote: it has an id only. */
export function judge({ member }: { member: FoundMember }): Standing {
  const { role, authority, id, etcd, nodes, leads } = member;
  const why = explain(member);
  const own = etcd.find((one) => one.id === id);
  if (role !== 'control-plane')
    return { ...(role && { id: role }), serves: role !== undefined && why === undefined, ...(why && { why }) };
  const serves = why === undefined && decides(member);
  const listed = new Set([...etcd.map(({ name }) => name), ...nodes.map(({ name }) => name)].filter((name) => name !== ''));
  return {
    ...(authority && !own?.learner && { group: authority }),
    id: id ?? role,
    serves,
    ...(leads && serves && { leads: true as const }),
    ...(etcd.length > 0 && { voters: etcd.filter(({ learner }) => !learner).length }),
    // Without the nodes it is not known which workers there are.
    ...(nodes.length > 0 && { lists: [...listed].sort() }),
    ...(why && { why }),
  };
}

type Code = 'bad-definition' | 'group-unknown' | 'quorum-lost' | 'groups-differ' | 'version-older' | 'version-skipped';

const refuse = (code: Code, { cluster }: KubernetesConfig, server: string, why: string, hint: string) =>
  inputError({ ...{ code, what: `plan kubernetes of the cluster ${cluster}`, on: server }, why, hint });

const names = (members: readonly KubernetesMember[]): string => members.map(({ server }) => server).join(', ');

const minorOf = (version: string): number => Number(version.split('.')[1]);

/**
 * Refuses versions that must not meet. A kubelet is never newer than an API server, and at most three minor versions older.
 * API servers differ by one minor version at most.
 */
function refuseSkew(config: KubernetesConfig, { host, version }: PlanContext, members: readonly KubernetesMember[]): void {
  const others = members.flatMap((member) => (member.server === host.name ? [] : (found(member)?.version ?? [])));
  for (const other of others) {
    const ahead = minorOf(version) - minorOf(other);
    if (config.role === 'worker' && ahead > 0)
      throw refuse(
        ...(['version-skipped', config, host.name] as const),
        `a control plane runs ${other}, and a worker must not be newer than a control plane: ${version}`,
        'upgrade the control planes first, then the workers',
      );
    if (ahead < (config.role === 'worker' ? -3 : -1))
      throw refuse(
        ...(['version-older', config, host.name] as const),
        `a control plane runs ${other}, and ${version} is too old for it`,
        'name a newer version for this server',
      );
    if (config.role === 'control-plane' && ahead > 1)
      throw refuse(
        ...(['version-skipped', config, host.name] as const),
        `a control plane runs ${other}, and ${version} is more than one minor version newer`,
        'go from one minor version to the next',
      );
  }
}

/** How a node that has not joined becomes a part of the cluster. */
function enter(config: KubernetesConfig, context: PlanContext, nested: boolean, members: readonly KubernetesMember[]): Step {
  const { host, version } = context;
  const join = () => joinStep({ config, server: host.name, kubeadm: joinConfig(config, host, nested) });
  if (members.some((member) => found(member)?.role === 'control-plane' && judge({ member: found(member) as FoundMember }).serves))
    return join();
  const silent = members.filter(({ state }) => state === 'silent');
  if (silent.length > 0)
    throw refuse(
      ...(['group-unknown', config, host.name] as const),
      `${names(silent)} may have the cluster, and does not answer`,
      `bring ${names(silent)} back: the only copy of the data may be there`,
    );
  const planes = members.filter((member) => found(member)?.role === 'control-plane');
  if (planes.length > 0)
    throw refuse(
      ...(['quorum-lost', config, host.name] as const),
      `no control plane serves: ${names(planes)} has data`,
      'start the control planes that have data',
    );
  const first = context.peers.find(
    ({ taskserv, endpoints }) => taskserv === 'kubernetes' && endpoints.some(({ name }) => name === 'kubernetes'),
  );
  const founder = members.find(({ server }) => isPlane(context, server)) ?? members[0];
  if (founder?.server === host.name && (config.role === 'control-plane' || !first))
    return initStep({ config, server: host.name, kubeadm: initConfig(config, host, version, nested) });
  // Another member founds it before: the preview of a new cluster.
  return join();
}

/** Whether a server is a control plane by the definition: workers offer no API. */
const isPlane = ({ peers }: PlanContext, server: string): boolean =>
  peers.some(
    (peer) => peer.server === server && peer.taskserv === 'kubernetes' && peer.endpoints.some(({ name }) => name === 'kubernetes'),
  );

/**
 * Returns the step by which a node becomes a part of its cluster, if it is none yet.
 *
 * @throws inputError if the answers of the others do not allow a decision
 */
export function planMembership(config: KubernetesConfig, context: PlanContext, { nested }: FoundHost): Step[] {
  const { members = [] } = (context.group ?? {}) as Partial<GroupContext<{ member: FoundMember }>>;
  const { name: server } = context.host;
  const own = members.find((member) => member.server === server);
  if (!own) throw refuse('group-unknown', config, server, 'it is not known who the members are', 'update the worker');
  refuseSkew(config, context, members);
  const mine = found(own);
  if (!mine?.role) return [enter(config, context, nested, members)];
  if (mine.role !== config.role)
    throw refuse(
      ...(['groups-differ', config, server] as const),
      `it is a ${mine.role}, and the definition says ${config.role}`,
      'remove the service from this server and apply, then add it again',
    );
  if (mine.settings !== undefined && mine.settings !== joinSettings(config))
    throw refuse(
      ...(['bad-definition', config, server] as const),
      `the cluster was founded with ${mine.settings}, and the definition says ${joinSettings(config)}`,
      'set port, balancerPort, podNetwork, serviceNetwork and domain as they were: a cluster keeps them',
    );
  const serving = members.find((member) => member !== own && found(member)?.role === 'control-plane' && found(member)?.agrees);
  const authority = serving && found(serving)?.authority;
  if (authority !== undefined && mine.authority !== authority)
    throw refuse(
      ...(['groups-differ', config, server] as const),
      `it belongs to another cluster than ${serving?.server}`,
      `if its data may go: kubeadm reset on ${server}, then apply`,
    );
  return [];
}

type KubernetesFacts = { member: ReturnType<typeof memberFact> };

/** The nodes of a cluster. Control planes have votes by their members of etcd. */
export const kubernetesGroup: Group<KubernetesConfig, KubernetesFacts> = {
  of: ({ cluster }) => cluster,
  votes: ({ role }) => role === 'control-plane',
  facts: (config) => ({ member: memberFact(config) }),
  standing: judge,
  quorum: 'majority',
  leave: ({ cluster }, { server }) => [leaveStep(cluster, server)],
  shares: {
    join: { title: 'Make a token and a key for a control plane', lifetimeSeconds: 6_000, on: 'leader', make: makeJoin },
    nodeToken: { title: 'Make a token for a worker', lifetimeSeconds: 6_000, on: 'leader', make: makeNodeToken },
  },
};
