import { inputError } from '../../../core/errors.js';
import {
  debian,
  type Facts,
  type FoundFile,
  type FoundPackage,
  type FoundService,
  file,
  systemd,
} from '../../../core/host/facts.js';
import { ensureWait, listeningOn, waitFile } from '../../../core/host/listening.js';
import { sh } from '../../../core/host/shell.js';
import type { Step } from '../../../core/host/step.js';
import { ensureFile, ensureNoFile, ensureNoPackage, ensurePackage, ensureService } from '../../../core/taskserv/plans.js';
import type { SecretRef, Text } from '../../../core/taskserv/secret.js';
import { tlsReads } from '../../../core/taskserv/service-tls.js';
import type { Endpoint, HealthCheck, HealthContext, PlanContext, Taskserv, Versions } from '../../../core/taskserv/taskserv.js';
import { packageService, type ServiceFile } from '../package.js';
import { type KeyValueConfig, memberPort, renewTls, sentinelConf, serverConf } from './conf.js';
import { createConfig } from './config.js';
import { createGroup, planMember } from './group.js';
import { memberProgram, sentinelDropIn, serverDropIn } from './member-program.js';
import { moveKeyValues } from './move.js';
import { createPlaces, type Places } from './places.js';

/** Store of keys and values in memory that speaks the protocol of redis. */
export interface KeyValueStore extends Pick<Taskserv, 'conflicts' | 'description' | 'overrides'> {
  /** `redis` or `valkey`. */
  name: string;
  versions: Versions;
}

type MemberConfig = KeyValueConfig & { cluster: string; password: SecretRef };

const isMember = (config: KeyValueConfig): config is MemberConfig => config.cluster !== undefined && config.password !== undefined;

/** Clients must use the endpoint with the name of the service. If it is plain text, TLS is offered, too. */
function listEndpoints(name: string, config: KeyValueConfig): Endpoint[] {
  const { port, password, tls, sentinelPort } = config;
  const local = password === undefined;
  const plain = { name, port, local, loopback: true } as const;
  const sentinel = isMember(config)
    ? [{ name: 'sentinel', port: sentinelPort, loopback: true, ...(tls && { tls: true }) } as const]
    : [];
  if (!tls) return [plain, ...sentinel];
  const encrypted = { port: tls.port, local, loopback: true, tls: true } as const;
  return [...(tls.required ? [{ name, ...encrypted }] : [plain, { name: `${name}-tls`, ...encrypted }]), ...sentinel];
}

/** Without a password and encryption, the shell itself sends the query: no look starts a process for it. */
function pingCommand({ cli }: Places, { port, password, tls }: Pick<KeyValueConfig, 'port' | 'password' | 'tls'>): string {
  if (tls?.required) return sh`${cli} --tls --insecure -p ${tls.port} ping`;
  if (password !== undefined) return sh`${cli} -p ${port} ping`;
  return `exec 3<>/dev/tcp/127.0.0.1/${port} && echo PING >&3 && IFS= read -r -t 5 answer <&3 && echo "$answer"`;
}

/** Sentinel of a member names the primary. */
const sentinelHealth = ({ cli, authority }: Places, config: MemberConfig): HealthCheck => ({
  title: `sentinel knows who leads the cluster ${config.cluster}`,
  command: sh`${cli} ${config.tls ? ['--tls', '--cacert', authority] : []} -p ${config.sentinelPort} sentinel get-master-addr-by-name ${config.cluster}`,
  expect: `\n${memberPort(config)}`,
  env: { REDISCLI_AUTH: [config.password] },
});

/** How many servers form the group. */
const countMembers = ({ group }: Pick<PlanContext, 'group'>): number => group?.members.length ?? 1;

/** Files of the server and of its membership; a single server has only the first. */
const listFiles = (places: Places): Record<string, ServiceFile<KeyValueConfig>> => ({
  program: {
    path: places.program,
    content: ({ cluster }, { host }) => (cluster === undefined ? undefined : memberProgram(places, cluster, host.name)),
    isRead: () => false,
  },
  dropIn: {
    path: `/etc/systemd/system/${places.server}.service.d/provisioning.conf`,
    content: ({ cluster }) => (cluster === undefined ? undefined : serverDropIn(places)),
    isRead: ({ cluster }) => cluster !== undefined,
  },
  authority: {
    path: places.authority,
    content: ({ authority }) => authority && [authority, '\n'],
    mode: '0640',
    owner: `root:${places.name}`,
    isRead: ({ authority }) => authority !== undefined,
  },
  conf: {
    path: places.conf,
    content: (config, at) => serverConf(places, config, at.listening, at.host.name, countMembers(at)),
    mode: '0640',
    owner: `${places.name}:${places.name}`,
  },
});

/** One server. */
const createServer = ({ name, versions, description, conflicts, overrides }: KeyValueStore, places: Places) =>
  packageService<KeyValueConfig>({
    name,
    category: 'databases',
    holds: ({ persistence }) => (persistence === 'none' ? [] : [places.data]),
    moveData: (parsed, context) => moveKeyValues(places, parsed, context),
    description,
    versions,
    ...(conflicts && { conflicts }),
    ...(overrides && { overrides }),
    supports: { os: ['debian'] },
    config: createConfig(name),
    endpoints: (config) => listEndpoints(name, config),
    package: places.server,
    listens: (config, context) => listen(name, config, context),
    files: listFiles(places),
    tls: {
      of: ({ tls }) => tls,
      group: name,
      renew: renewTls(places),
      connect: ({ tls }) => ({ connect: `127.0.0.1:${tls?.port}` }),
    },
    health: (config) => [
      {
        title: `${name} answers PING`,
        command: pingCommand(places, config),
        expect: 'PONG',
        env: config.password && { REDISCLI_AUTH: [config.password] },
      },
      ...(isMember(config) ? [sentinelHealth(places, config)] : []),
    ],
  });

const listen = (name: string, { password, bind }: KeyValueConfig, context: HealthContext) =>
  password && !bind ? listeningOn(name, name, context) : 'loopback';

/** What a host has of sentinel. */
interface FoundSentinel {
  sentinelPackage: FoundPackage;
  sentinelWanted: FoundFile;
  sentinelDropIn: FoundFile;
  sentinelWait: FoundFile;
  sentinel: FoundService;
}

const dropInPath = ({ sentinel }: Places): string => `/etc/systemd/system/${sentinel}.service.d/provisioning.conf`;

/** Files that sentinel reads. Its own is not among them: it rewrites that all the time. */
const readsOf = (places: Places, { tls, authority }: Pick<KeyValueConfig, 'tls' | 'authority'>): string[] => [
  ...[places.wanted, dropInPath(places)],
  ...(authority ? [places.authority] : []),
  ...tlsReads(places, tls),
];

const sentinelFacts = (places: Places, config: KeyValueConfig): Facts => ({
  sentinelPackage: debian(places.sentinel),
  sentinelWanted: file(places.wanted),
  sentinelDropIn: file(dropInPath(places)),
  sentinelWait: file(waitFile(places.sentinel)),
  sentinel: systemd(places.sentinel, readsOf(places, config)),
});

/** Adds sentinel to the steps of a member's server: it starts after it. */
function addSentinel(places: Places, config: MemberConfig, found: FoundSentinel, context: PlanContext, steps: Step[]): Step[] {
  const listening = listeningOn(places.name, 'sentinel', context);
  const wanted: Text = sentinelConf(places, config, { listening, server: context.host.name, members: countMembers(context) });
  const install = ensurePackage(found.sentinelPackage);
  const files = [
    ...ensureFile(found.sentinelWanted, { content: wanted, mode: '0640', owner: `${places.name}:${places.name}` }),
    ...ensureFile(found.sentinelDropIn, { content: sentinelDropIn(places) }),
    ...ensureWait(found.sentinelWait, places.sentinel, listening),
  ];
  // A package of the server does not restart sentinel: each has its own program.
  const before = [...install, ...files, ...steps.filter((step) => 'file' in step || 'absent' in step)];
  const service = ensureService(found.sentinel, { state: 'running', enabled: true, reads: readsOf(places, config) }, before);
  const index = steps.findIndex((step) => 'service' in step);
  const start = index < 0 ? steps.length : index;
  return [...steps.slice(0, start), ...install, ...files, ...steps.slice(start), ...service];
}

/** Takes sentinel away. What it knew stays nowhere: passwords are in it. */
function dropSentinel(places: Places, found: FoundSentinel): Step[] {
  if (!found.sentinelWanted.exists) return [];
  const { name, state, sentinel } = places;
  return [
    ...ensureService(found.sentinel, { state: 'stopped', enabled: false }),
    {
      title: `Remove what ${sentinel} knew`,
      run: sh`cd / && setpriv --reuid=${name} --regid=${name} --clear-groups -- rm -f -- ${state}`,
      undo: ':',
      changes: { files: [state] },
    },
    ...ensureNoPackage(found.sentinelPackage),
    ...[found.sentinelWanted, found.sentinelDropIn, found.sentinelWait].flatMap(ensureNoFile),
  ];
}

/** The sentinels of the others would let it follow their primary again, and it would lose what it took until then. */
const refuseSingle = ({ name }: Places, server: string) =>
  inputError({
    code: 'groups-differ',
    what: `plan ${name} without a cluster`,
    on: server,
    why: 'it is a member of a cluster, whose other members know it',
    hint: `remove the service from this server and apply, then add it without "cluster"; the data stays`,
  });

/**
 * Creates the taskserv of a store of keys and values: one server, or a group whose members find a new primary by sentinel.
 */
export function keyValueService(kind: KeyValueStore): Taskserv<KeyValueConfig, Facts> {
  const places = createPlaces(kind.name);
  const server = createServer(kind, places);
  return {
    ...server,
    group: createGroup(places),
    facts: (config, version) => ({ ...server.facts(config, version), ...sentinelFacts(places, config) }),
    plan(config, found, context) {
      const known = found as unknown as FoundSentinel;
      if (!isMember(config) && known.sentinelWanted.exists) throw refuseSingle(places, context.host.name);
      const steps = server.plan(config, found, context);
      if (!isMember(config)) return steps;
      return planMember(places, config, context, addSentinel(places, config, known, context, steps));
    },
    remove: (config, found) => [...dropSentinel(places, found as unknown as FoundSentinel), ...server.remove(config, found)],
  };
}
