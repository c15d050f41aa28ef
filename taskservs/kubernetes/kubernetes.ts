import {
  artifactsIn,
  debian,
  defineTaskserv,
  ensureArtifact,
  ensureFile,
  ensureNoArtifact,
  ensureNoFile,
  ensurePackage,
  ensureService,
  type FoundArtifact,
  type FoundFile,
  type FoundPackage,
  type FoundService,
  file,
  inputError,
  listOffered,
  type PlanContext,
  type Step,
  sh,
  systemd,
} from '../../sdk/index.js';
import { agree } from './agree.js';
import { type Binary, FOLDER, findBinaries, versions } from './binaries.js';
import { flannelManifest } from './flannel.js';
import { type FoundHost, type FoundMember, hostFact, labelsFact, memberFact, networkFact } from './kubernetes-ask.js';
import { type KubernetesConfig, kubernetesConfig } from './kubernetes-config.js';
import { kubernetesGroup, planMembership } from './kubernetes-group.js';
import { DEFINES_FORGET, labelStep, networkStep, waitStep } from './kubernetes-steps.js';
import { NESTED_SCRIPT, NESTED_UNIT } from './nested-host.js';
import {
  BALANCER_UNIT,
  BRIDGE,
  BRIDGE_UNIT,
  balancerConfig,
  GUARD_UNIT,
  guardRules,
  kubeletSettings,
  kubeletUnit,
  MODULES,
  SYSCTL,
  wrapper,
} from './node-files.js';
import { ADMIN, ETC, FILES } from './places.js';

const PACKAGES = [
  'conntrack',
  'containernetworking-plugins',
  'curl',
  'ethtool',
  'haproxy',
  'iptables',
  'kmod',
  'nftables',
  'openssl',
] as const;

/** Units of a node beside the kubelet, with the files that they read. */
const UNITS = {
  'provisioning-kubernetes-nested': [FILES.nested, FILES.nestedUnit],
  'provisioning-kubernetes-guard': [FILES.guard, FILES.guardUnit],
  'provisioning-kubernetes-balancer': [FILES.balancer, FILES.balancerUnit],
  'provisioning-kubernetes-bridge': [FILES.bridge, FILES.bridgeUnit],
} as const;
type Unit = keyof typeof UNITS;

const KUBELET_READS = [FILES.kubelet, FILES.settings];

interface Known {
  host: FoundHost;
  member: FoundMember;
  network: { hash?: string };
  labels: { labels?: Record<string, string> };
  releases: FoundArtifact[];
  kubeletUnit: FoundService;
}

type Found = Known & Record<string, unknown>;

/** Memory that a node needs, in MiB: kubeadm refuses a control plane with less. */
const LEAST_MIB = { 'control-plane': 1_700, worker: 700 } as const;

function refuseHost({ role }: KubernetesConfig, { host }: PlanContext, { swap, nested }: FoundHost): void {
  const refuse = (why: string, hint: string) =>
    inputError({ ...{ code: 'unsupported-host', what: 'install kubernetes', on: host.name }, why, hint });
  if (swap && !nested)
    throw refuse('swap is on, and the kubelet does not start with swap', 'run swapoff -a, and remove swap from /etc/fstab');
  const least = LEAST_MIB[role];
  if (host.memoryMiB < least)
    throw refuse(`it has ${host.memoryMiB} MiB of memory, a ${role} needs ${least} MiB`, 'choose a larger plan');
  if (role === 'control-plane' && host.cores < 2 && !nested)
    throw refuse('it has one core, and a control plane needs two', 'choose a larger plan');
}

const fileFacts = Object.fromEntries(Object.entries(FILES).map(([name, path]) => [name, file(path)]));
const unitFacts = Object.fromEntries(Object.entries(UNITS).map(([name, reads]) => [name, systemd(name, [...reads])]));
const packageFacts = Object.fromEntries(PACKAGES.map((name) => [name, debian(name)]));

/** The files of a node, each with its content. Undefined: none. */
function contentsOf(config: KubernetesConfig, context: PlanContext, host: FoundHost, binaries: readonly Binary[]) {
  const { nested } = host;
  const of = (program: string) => binaries.find((one) => one.program === program) as Binary;
  const planes = listOffered(context.peers, 'kubernetes')
    .filter(({ taskserv }) => taskserv === 'kubernetes')
    .map(({ server, address, endpoint }) => ({
      server,
      address: server === context.host.name ? '127.0.0.1' : address,
      port: endpoint.port,
    }));
  const isFlannel = config.network === 'flannel';
  const script = (content: string) => ({ content, mode: '0755' });
  return {
    sysctl: { content: SYSCTL },
    modules: { content: MODULES },
    kubectl: script(wrapper(of('kubectl'))),
    kubeadm: script(wrapper(of('kubeadm'))),
    kubeletProgram: script(wrapper(of('kubelet'))),
    nested: nested ? script(NESTED_SCRIPT) : undefined,
    nestedUnit: nested ? { content: NESTED_UNIT } : undefined,
    guard: { content: guardRules(config) },
    guardUnit: { content: GUARD_UNIT },
    balancer: { content: balancerConfig(config, planes) },
    balancerUnit: { content: BALANCER_UNIT },
    bridge: isFlannel ? script(BRIDGE) : undefined,
    bridgeUnit: isFlannel ? { content: BRIDGE_UNIT } : undefined,
    flannel: isFlannel && config.role === 'control-plane' ? { content: flannelManifest(config).content } : undefined,
    settings: { content: kubeletSettings(host) },
    kubelet: { content: kubeletUnit(of('kubelet'), nested) },
  };
}

const kernelStep: Step = {
  title: 'Load the kernel settings of Kubernetes',
  run: `for module in br_netfilter overlay; do modprobe "$module" 2>/dev/null || true; done
sysctl -q -e -p ${FILES.sysctl}`,
  undo: ':',
};

/** The steps before a node joins: what it runs, and the services around the kubelet. */
function prepare(config: KubernetesConfig, found: Found, context: PlanContext, binaries: readonly Binary[]): Step[] {
  const { host, releases } = found;
  const packages = PACKAGES.flatMap((name) => ensurePackage(found[name] as FoundPackage));
  const files = Object.entries(contentsOf(config, context, host, binaries)).flatMap(([name, wanted]) =>
    wanted ? ensureFile(found[name] as FoundFile, wanted) : ensureNoFile(found[name] as FoundFile),
  );
  const artifacts = binaries.flatMap(({ program, url, sha256, to }) => ensureArtifact(releases, { url, sha256, to, as: program }));
  const unit = (name: Unit): Step[] => {
    const isBalancer = name === 'provisioning-kubernetes-balancer';
    const wanted = {
      state: 'running' as const,
      enabled: true,
      reads: [...UNITS[name]],
      ...(isBalancer && { change: 'reload' as const }),
    };
    const steps = ensureService(found[name] as FoundService, wanted, files);
    // It resolved the names of the control planes when it started.
    const isMoved = isBalancer && steps.length === 0 && context.moved?.some((server) => server !== context.host.name);
    return isMoved ? [{ title: `Reload ${name}`, service: { name, ...wanted } }] : steps;
  };
  const units = (Object.keys(UNITS) as Unit[]).filter(
    (name) =>
      (name !== 'provisioning-kubernetes-nested' || host.nested) &&
      (name !== 'provisioning-kubernetes-bridge' || config.network === 'flannel'),
  );
  const kernel = host.forwards && !files.some((step) => 'file' in step && step.file.path === FILES.sysctl) ? [] : [kernelStep];
  const [nested, ...others] = units[0] === 'provisioning-kubernetes-nested' ? units : [undefined, ...units];
  return [
    ...packages,
    ...artifacts,
    ...files,
    ...(nested ? unit(nested) : []),
    ...kernel,
    ...others.flatMap((name) => unit(name as Unit)),
  ];
}

/** Nodes of a Kubernetes cluster, made by kubeadm. */
export const kubernetes = defineTaskserv({
  name: 'kubernetes',
  category: 'orchestration',
  description: 'Kubernetes cluster made by kubeadm, with its control planes, workers and the network of pods.',
  holds: ({ role }: KubernetesConfig) => (role === 'control-plane' ? ['/var/lib/etcd'] : []),
  versions,
  fetches: true,
  supports: { os: ['debian'] },
  requires: ['containerd'],
  // They share the package of the balancer, and would be removed with it; docker has its own containerd.
  conflicts: ['docker', 'haproxy'],
  config: kubernetesConfig,
  agree,
  group: kubernetesGroup,
  endpoints: ({ role, port, balancerPort, network }) => [
    ...(role === 'control-plane'
      ? [
          { name: 'kubernetes', port, tls: true },
          { name: 'etcd-client', port: 2379, tls: true },
          { name: 'etcd-peers', port: 2380, tls: true },
        ]
      : []),
    { name: 'kubelet', port: 10_250, tls: true },
    { name: 'kube-proxy', port: 10_256 },
    { name: 'kubernetes-local', port: balancerPort, local: true },
    ...(network === 'flannel' ? [{ name: 'flannel', port: 8_472, protocol: 'udp' as const }] : []),
  ],
  uses: () => ['kubernetes', 'etcd-client', 'etcd-peers', 'kubelet', 'flannel'],
  facts: (config) => ({
    host: hostFact,
    member: memberFact(config),
    network: networkFact,
    labels: labelsFact,
    releases: artifactsIn(FOLDER),
    ...packageFacts,
    ...fileFacts,
    ...unitFacts,
    kubeletUnit: systemd('kubelet', KUBELET_READS),
  }),
  installed: (found) => /kubelet-([0-9.]+)/.exec(((found as Found).kubelet as FoundFile).content)?.[1],

  plan(config, found, context) {
    const known = found as unknown as Found;
    refuseHost(config, context, known.host);
    const { name: server } = context.host;
    const binaries = findBinaries(config, context);
    const membership = planMembership(config, context, known.host);
    const { version } = known.member;
    if (version !== undefined && version !== context.version)
      throw inputError({
        ...{ code: 'version-skipped', what: `upgrade kubernetes to ${context.version}`, on: server },
        why: `its control plane runs ${version}, and this release of the platform does not upgrade it`,
        hint: `set version: "${version}", or run kubeadm upgrade on the control planes`,
      });
    const before = prepare(config, known, context, binaries);
    const isNew = membership.length > 0;
    const kubelet = ensureService(known.kubeletUnit, { state: 'running', enabled: true, reads: KUBELET_READS }, before);
    const wanted = config.network === 'flannel' && config.role === 'control-plane' ? flannelManifest(config).hash : undefined;
    const isFounded = membership.some(({ title }) => title.startsWith('Found '));
    const isOther = wanted !== undefined && (isNew ? isFounded : known.network.hash !== undefined && known.network.hash !== wanted);
    const { labels } = known.labels;
    const missing = Object.fromEntries(Object.entries(config.labels).filter(([key, value]) => labels?.[key] !== value));
    const further = known.releases.filter(({ to }) => !binaries.some((one) => one.to === to));
    return [
      ...before,
      ...membership,
      ...kubelet,
      ...(isOther ? [networkStep()] : []),
      ...(isNew || kubelet.length > 0 ? [waitStep({ config, server })] : []),
      ...(!isNew && labels && Object.keys(missing).length > 0 ? [labelStep(server, missing)] : []),
      ...further.flatMap(ensureNoArtifact),
    ];
  },

  health: ({ role, cluster }, { host }) => [
    {
      title: `the node ${host.name} is ready in the cluster ${cluster}`,
      command: sh`KUBECACHEDIR=/run/kubernetes-cache timeout 20 ${FILES.kubectl} --kubeconfig=${ETC}/kubelet.conf get node ${host.name} -o ${'jsonpath=ready {.status.conditions[?(@.type=="Ready")].status}'}`,
      expect: 'ready True',
    },
    ...(role === 'control-plane'
      ? [
          {
            title: `the API of the cluster ${cluster} is ready`,
            command: sh`KUBECACHEDIR=/run/kubernetes-cache timeout 20 ${FILES.kubectl} --kubeconfig=${ADMIN} get --raw /readyz`,
            expect: 'ok',
          },
        ]
      : []),
  ],

  remove(_, found) {
    const known = found as unknown as Found;
    const isThere = (known.kubelet as FoundFile).exists || known.member.role !== undefined;
    return [
      ...(isThere
        ? [
            {
              title: 'Take this node out of Kubernetes, and keep a copy of the data of etcd',
              run: `${DEFINES_FORGET}\nforget`,
              irreversible: true as const,
            },
          ]
        : []),
      ...ensureService(known.kubeletUnit, { state: 'stopped', enabled: false }),
      ...(Object.keys(UNITS) as Unit[])
        .reverse()
        .flatMap((name) => ensureService(known[name] as FoundService, { state: 'stopped', enabled: false })),
      ...Object.keys(FILES).flatMap((name) => ensureNoFile(known[name] as FoundFile)),
      ...known.releases.flatMap(ensureNoArtifact),
    ];
  },
});
