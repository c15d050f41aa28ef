import type { TestScript } from '../../core/environment/test-environment.js';
import { inputError } from '../../core/errors.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { Findings } from '../../definition/source/findings.js';
import { problemsOf } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { loadTest, rememberTest, type TestDefinition } from './test-definition.js';
import type { Topology } from './topology.js';

/** Options of a test environment from a topology. */
export interface ClusterWish {
  infra: string;
  topology: Topology;
  /** Versions by taskserv. They override the topology. */
  versions?: ReadonlyMap<string, string>;
  /** Plan of all hosts. Overrides the topology. */
  plan?: string;
  image?: string;
}

/**
 * Returns the definition of a test environment from a topology.
 *
 * @param context the context of test environments
 * @throws inputError `topology-unavailable`; DefinitionError with every problem of it
 */
export async function clusterDefinition(context: Context, wish: ClusterWish): Promise<TestDefinition> {
  const { infra, topology, versions = new Map(), plan, image } = wish;
  const { name, unavailable, source, scripts } = topology;
  if (unavailable !== undefined)
    throw inputError({
      ...{ code: 'topology-unavailable', what: 'make the topology', on: name, why: unavailable },
      hint: 'provisioning test topology list shows all topologies',
    });
  const { description: _, unavailable: __, scripts: ___, ...rest } = source.value as Record<string, unknown>;
  const over = { ...(plan !== undefined && { plan }), ...(image !== undefined && { image }) };
  const servers = listIn(rest.servers).map((server) => {
    if (!isRecord(server)) return server;
    const own =
      server.taskservs === undefined ? {} : { taskservs: listIn(server.taskservs).map((one) => withVersion(one, versions)) };
    return { ...server, ...over, ...own };
  });
  const taskservs = listIn(rest.taskservs).map((one) => withVersion(one, versions));
  const value = { ...rest, infra, provider: 'local', onFailure: 'keep', servers, taskservs };
  const root = context.folder ?? process.cwd();
  const read = await loadTest(context, { ...source, value }, root);
  refuseUnknown(
    topology,
    read.definition.servers.map((server) => server.name),
  );
  rememberTest(read.definition, read.source, root);
  const asked = scripts.map(({ run, ...one }): TestScript => ({ ...one, text: run }));
  return { ...read, type: 'cluster', about: name, scripts: asked, notes: [] };
}

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function withVersion(entry: unknown, versions: ReadonlyMap<string, string>): unknown {
  const name = typeof entry === 'string' ? entry : isRecord(entry) ? String(entry.name) : '';
  const version = versions.get(name);
  return version === undefined ? entry : { ...(isRecord(entry) ? entry : { name }), version };
}

/** Rejects scripts for servers that do not exist. */
function refuseUnknown({ source, scripts }: Topology, known: readonly string[]): void {
  const findings = new Findings();
  scripts.forEach(({ on = [] }, index) => {
    on.forEach((server, place) => {
      if (!known.includes(server))
        findings.value(['scripts', index, 'on', place], `there is no server "${server}"`, didYouMean(server, known));
    });
  });
  const problems = problemsOf(source, findings);
  if (problems.length > 0) throw new DefinitionError(source.file, problems, 'topology');
}
