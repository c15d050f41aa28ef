import {
  type AgreeingServer,
  type Agreement,
  artifactsIn,
  debian,
  defineTaskserv,
  ensureArtifact,
  ensureFile,
  ensureNoArtifact,
  ensurePackage,
  type Fact,
  type FoundArtifact,
  type FoundFile,
  type FoundPackage,
  fact,
  file,
  mirrorOf,
  type Step,
} from '../../sdk/index.js';
import { ABSENT, explainWork, type FoundCluster, isDone, parseCluster } from './found-cluster.js';
import { type ManifestsConfig, manifestsConfig } from './manifests-config.js';
import { changeStep, healthScript, locateProgram, lookScript, PROGRAM_FILE } from './manifests-steps.js';
import { inputFor, listFetched, locateFolder } from './sources.js';

type ManifestsFacts = {
  python: Fact<FoundPackage>;
  /** The program of the last change. */
  program: Fact<FoundFile>;
  /** Files that were fetched by their hash. */
  fetched: Fact<FoundArtifact[]>;
  cluster: Fact<FoundCluster>;
};

const writeProgram = (unit: string, found: FoundFile): Step[] =>
  ensureFile(found, PROGRAM_FILE, `Write the program that applies the unit ${unit}`);

/** A unit without a name of its own. */
const ONLY = 'main';

/** One control plane applies a unit: two would look twice, and prune what the other wants. */
function agree(on: readonly AgreeingServer<ManifestsConfig>[]): Agreement<ManifestsConfig> {
  const [first, ...others] = on;
  return {
    configs: on.map(({ config }) => config),
    disagreements: others.map(({ server }) => ({
      server,
      at: ['manifests'],
      message: `${first?.server} applies this unit already`,
      suggestion: 'put it on one control plane; for another cluster, name the unit: kubernetes-manifests@NAME',
    })),
  };
}

/** @param instance which it is of several units on a server */
const unitOf = (instance?: string) => {
  const unit = instance ?? ONLY;
  const name = instance === undefined ? 'kubernetes-manifests' : `kubernetes-manifests@${instance}`;
  const applying = `Apply the manifests of the unit ${unit}`;
  const deleting = `Delete the objects of the unit ${unit} from the cluster`;
  return defineTaskserv<ManifestsConfig, ManifestsFacts>({
    name,
    category: 'orchestration',
    // The cluster has the data of the objects, and keeps what may hold some.
    holds: [],
    description: 'Kubernetes manifests that are applied to a cluster, with differences, waiting and roll-back.',
    versions: { default: '1', supported: ['1'], source: 'own' },
    after: ['kubernetes'],
    fetches: true,
    config: manifestsConfig,
    uses: () => [],
    follows: ({ after }) => after,
    agree,

    facts(config, version) {
      // At its removal no manifest counts.
      const mode = version === undefined ? 'presence' : 'look';
      const { spec, stdin } = inputFor(unit, config, String);
      return {
        python: debian('python3'),
        program: file(locateProgram(unit)),
        fetched: artifactsIn(locateFolder(unit)),
        cluster: fact(lookScript(mode), parseCluster, ABSENT, { SPEC: spec, SOURCES: mode === 'look' ? stdin : '' }),
      };
    },

    installed: ({ cluster }) => (cluster.state === 'seen' && cluster.is ? '1' : undefined),

    plan(config, { python, program, fetched, cluster }, { mirrors }) {
      const urlOf = (url: string) => mirrorOf(url, mirrors).url;
      const wanted = listFetched(unit, config);
      return [
        ...ensurePackage(python),
        ...wanted.flatMap(({ name: _, release: __, url, ...one }) => ensureArtifact(fetched, { ...one, url: urlOf(url) })),
        ...(isDone(cluster)
          ? []
          : [...writeProgram(unit, program), changeStep('apply', applying, unit, inputFor(unit, config, urlOf))]),
        ...fetched.filter(({ to }) => !wanted.some((one) => one.to === to)).flatMap(ensureNoArtifact),
      ];
    },

    explain: (step, { cluster }) => (step.title === applying || step.title === deleting ? explainWork(cluster) : undefined),

    health: (config) => [
      {
        title: `all objects of the unit ${unit} work`,
        command: healthScript(inputFor(unit, { ...config, manifests: {} }, String).spec),
        expect: 'all objects work',
      },
    ],

    remove(config, { program, fetched, cluster }) {
      const isGone = cluster.state === 'absent' || (cluster.state === 'seen' && !cluster.is);
      const { spec } = inputFor(unit, { ...config, manifests: {} }, String);
      const left = isGone ? [] : [...writeProgram(unit, program), changeStep('remove', deleting, unit, { spec, stdin: '' })];
      const itsFile =
        left.length > 0 || program.exists ? [{ title: `Remove ${program.path}`, absent: { path: program.path } }] : [];
      return [...left, ...fetched.flatMap(ensureNoArtifact), ...itsFile];
    },
  });
};

/** Manifests of a cluster, or one of several units of them: `kubernetes-manifests@ingress`. */
export const kubernetesManifests = { ...unitOf(), instance: unitOf };
