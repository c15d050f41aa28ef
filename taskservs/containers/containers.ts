import {
  absentValue,
  askAt,
  defineTaskserv,
  ensureFile,
  ensureService,
  type Fact,
  type FoundFacts,
  type FoundFile,
  type FoundService,
  fact,
  file,
  keepsRunning,
  type ListenAddress,
  listeningOn,
  type PlanContext,
  type Step,
  sh,
  systemd,
} from '../../sdk/index.js';
import { type Container, type ContainersConfig, containersConfig } from './containers-config.js';
import { envFile, envPath, isOnHostNetwork, MARK, unitFile, unitOf, unitPath } from './unit-file.js';

type ContainersFacts = {
  /** Names of the containers whose units are there, those included that are no longer wanted. */
  made: Fact<string[]>;
  /** By the names of images, their ids on the host. */
  images: Fact<Record<string, string>>;
  /** Folders of volumes that are there. */
  folders: Fact<string[]>;
  [file: `file ${string}`]: Fact<FoundFile>;
  [unit: `unit ${string}`]: Fact<FoundService>;
};

const hasEnv = ({ env }: Container): boolean => Object.keys(env).length > 0;
const readsOf = (name: string, container: Container): string[] => [unitPath(name), ...(hasEnv(container) ? [envPath(name)] : [])];
const linesOf = ({ stdout }: { stdout: string }): string[] => stdout.split('\n').filter(Boolean);

const listeningWith =
  (context: Pick<PlanContext, 'host' | 'peers'>) =>
  (endpoint: string): ListenAddress =>
    listeningOn('containers', endpoint, context);

const foundFile = (found: FoundFacts<ContainersFacts>, path: string): FoundFile => found[`file ${path}`] ?? absentValue(file(path));

/** Fetched before anything stops; what is there already is not fetched again. It stays on a roll-back, as others may use it. */
const pull = (image: string): Step => ({
  title: `Fetch the image ${image}`,
  run: sh`timeout 900 podman pull -q ${image}`,
  undo: 'true # images stay: podman image prune',
});

function containerSteps(
  name: string,
  container: Container,
  config: ContainersConfig,
  found: FoundFacts<ContainersFacts>,
  context: PlanContext,
) {
  const reads = readsOf(name, container);
  const files = [
    ...(hasEnv(container) ? ensureFile(foundFile(found, envPath(name)), { content: envFile(container), mode: '0600' }) : []),
    ...ensureFile(foundFile(found, unitPath(name)), { content: unitFile(name, container, config, listeningWith(context)) }),
  ];
  const state = found[`unit ${name}`] ?? absentValue(systemd(unitOf(name)));
  return [...files, ...ensureService(state, { state: 'running', enabled: true, reads }, files)];
}

/** One whose supervisor was killed is kept by podman 5 when its unit stops. */
const removeContainer = (name: string): Step => ({
  title: `Remove the container ${name}`,
  run: sh`if command -v podman >/dev/null; then podman rm --force --ignore ${name}; fi`,
  // Its unit makes it again.
  undo: ':',
});

const drop = (name: string): Step[] => [
  { title: `Stop ${unitOf(name)}`, service: { name: unitOf(name), state: 'stopped', enabled: false } },
  removeContainer(name),
  { title: `Remove ${unitPath(name)}`, absent: { path: unitPath(name) } },
  { title: `Remove ${envPath(name)}`, absent: { path: envPath(name) } },
];

/** Containers of one's own, each a unit of systemd. */
export const containers = defineTaskserv<ContainersConfig, ContainersFacts>({
  name: 'containers',
  category: 'own-things',
  holds: ({ containers }) => [
    ...new Set(
      Object.values(containers).flatMap(({ volumes }) => volumes.flatMap(({ from, readOnly }) => (readOnly ? [] : [from]))),
    ),
  ],
  description: 'Your own containers, each as a systemd unit with podman.',
  versions: { default: '1', supported: ['1'], source: 'own' },
  requires: ['podman'],
  after: ['files', 'oci-registry'],
  config: containersConfig,
  uses: () => [],
  follows: ({ after }) => after,
  endpoints: ({ containers, options }) =>
    Object.values(containers).flatMap(({ ports }) =>
      ports.map(({ name, host, local }) => ({
        name,
        port: host,
        ...(local && { local: true }),
        // In the network of the host the program itself says where it listens.
        ...(isOnHostNetwork(options) && { loopback: true as const }),
      })),
    ),
  facts: ({ containers }) => ({
    made: fact(
      sh`grep -lsxF ${MARK} /etc/systemd/system/container-*.service | sed -nE ${'s|.*/container-([a-z][a-z0-9-]*)[.]service$|\\1|p'}`,
      linesOf,
      [],
    ),
    images: fact<Record<string, string>>(
      Object.values(containers)
        .map(({ image }) => sh`podman image inspect -f ${`${image} {{.Id}}`} ${image} 2>/dev/null`)
        .join('\n') || ':',
      (output) => Object.fromEntries(linesOf(output).map((line) => line.split(' '))),
      {},
    ),
    folders: fact(
      Object.values(containers)
        .flatMap(({ volumes }) => volumes.map(({ from }) => sh`[ -d ${from} ] && echo ${from}`))
        .join('\n') || ':',
      linesOf,
      [],
    ),
    ...Object.fromEntries(
      Object.entries(containers).flatMap(([name, one]) => readsOf(name, one).map((path) => [`file ${path}`, file(path)])),
    ),
    ...Object.fromEntries(
      Object.entries(containers).map(([name, one]) => [`unit ${name}`, systemd(unitOf(name), readsOf(name, one))]),
    ),
  }),
  installed: ({ made }) => (made.length > 0 ? '1' : undefined),

  plan(config, found, context) {
    const all = Object.entries(config.containers);
    const missing = new Set(all.map(([, { image }]) => image).filter((image) => found.images[image] === undefined));
    const folders = new Map(all.flatMap(([, { volumes }]) => volumes.map((volume) => [volume.from, volume.owner] as const)));
    return [
      ...[...missing].map(pull),
      ...[...folders]
        .filter(([path]) => !found.folders.includes(path))
        .map(([path, owner]): Step => ({ title: `Make the folder ${path}`, directory: { path, owner, mode: '0750', keep: true } })),
      ...found.made.filter((name) => !config.containers[name]).flatMap(drop),
      ...all.flatMap(([name, one]) => containerSteps(name, one, config, found, context)),
    ];
  },

  health: ({ containers }, context) =>
    Object.entries(containers).flatMap(([name, { health, ports }]) => {
      const at = (port: number): string => {
        const entry = ports.find(({ host }) => host === port);
        return askAt(entry && !entry.local ? listeningWith(context)(entry.name) : 'loopback');
      };
      const port = health?.port ?? ports[0]?.host;
      const running = keepsRunning(`${name} runs`, unitOf(name), { shown: port !== undefined });
      if (port === undefined) return [running];
      const answer = health?.path
        ? { title: `${name} answers`, http: `http://${at(port)}:${port}${health.path}` }
        : { title: `${name} takes connections`, command: sh`exec 3<>/dev/tcp/${at(port)}/${port}` };
      return [running, answer];
    }),

  remove: (_, { made }) => made.flatMap(drop),
});
