import { readdir, realpath } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import * as z from 'zod';
import { inputError } from '../../core/errors.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { Findings } from '../../definition/source/findings.js';
import { isInside } from '../../definition/source/is-inside.js';
import { packageRoot } from '../../definition/source/package-root.js';
import { problemsOf, readSource, reportNotAMap } from '../../definition/source/read-source.js';
import { isRecord } from '../../definition/source/salvage.js';
import { complaints } from '../../definition/source/schema-issues.js';
import { readYaml, type Source } from '../../definition/source/source.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';

/** Folder of topologies, in this package and in a workspace. */
const FOLDER = 'topologies';
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const ENDINGS = ['.yaml', '.yml', '.json', '.toml'];
/** Display name of a topology from standard input. */
export const STDIN = 'standard input';

const script = z.strictObject({
  name: z.string().min(1).max(80).describe('Name of its result'),
  on: z.array(z.string()).min(1).optional().describe('Names of the servers to run on. Default: all'),
  run: z.string().min(1).max(65_536).describe('Script to run as root; exit code 0 is success'),
});

/** Schema of a topology. The definition's schema checks servers and taskservs. */
const topologyFile = z.strictObject({
  description: z.string().min(1).max(200),
  unavailable: z.string().min(1).max(200).optional().describe('Reason why it cannot be created yet'),
  networks: z.array(z.unknown()).optional(),
  servers: z.array(z.unknown()).min(1),
  taskservs: z.array(z.unknown()).optional(),
  scripts: z.array(script).max(50).optional(),
});

/** Available topology. */
export interface Topology {
  name: string;
  description: string;
  /** Whether it comes with this program; otherwise it is from the workspace or elsewhere. */
  builtIn: boolean;
  /** Reason why it cannot be created yet. */
  unavailable?: string;
  source: Source;
  scripts: { name: string; on?: string[]; run: string }[];
}

/**
 * Returns the topologies of this program and the workspace. The workspace's topologies take precedence.
 *
 * @throws DefinitionError with every problem of one
 */
export async function topologiesFor({ folder }: Pick<Context, 'folder'>): Promise<Topology[]> {
  const all = await filesFor(folder);
  return Promise.all([...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => readTopology(name, one)));
}

/**
 * Returns a topology by name.
 *
 * @throws inputError `unknown-topology`; DefinitionError
 */
export async function topologyNamed(context: Pick<Context, 'folder'>, name: string): Promise<Topology> {
  const all = await filesFor(context.folder);
  const found = all.get(name);
  if (found) return readTopology(name, found);
  const hint = didYouMean(name.replaceAll('-', '_'), all.keys()) ?? 'provisioning test topology list';
  throw inputError({
    code: 'unknown-topology',
    what: 'find the topology',
    on: name,
    why: 'the platform has no topology with this name',
    hint,
  });
}

/** Returns whether a topology with this name exists. */
export const isTopology = async ({ folder }: Pick<Context, 'folder'>, name: string): Promise<boolean> =>
  (await filesFor(folder)).has(name);

/** Parses a topology from standard input: YAML, or JSON as a subset. */
export function topologyIn(name: string, text: string): Topology {
  if (Buffer.byteLength(text) > LIMITS.file) {
    const why = `the topology is larger than ${sizeText(LIMITS.file)}`;
    throw inputError({ code: 'too-large', what: 'read the topology', on: STDIN, why });
  }
  return understood(name, { ...readYaml(STDIN, text), texts: [{ file: STDIN, text }] }, false);
}

/** File of a topology, and the folder that must contain it after resolving links. */
interface Found {
  file: string;
  within: string;
  builtIn: boolean;
}

async function filesFor(folder: string | undefined): Promise<Map<string, Found>> {
  const [builtIn, own] = await Promise.all([filesIn(packageRoot(), true), folder === undefined ? [] : filesIn(folder, false)]);
  return new Map([...builtIn, ...own]);
}

/** Lists the topologies of a folder. Skips other file names and links that lead outside. */
async function filesIn(root: string, builtIn: boolean): Promise<[string, Found][]> {
  const folder = join(root, FOLDER);
  const names = await readdir(folder).catch(() => [] as string[]);
  const within = await realpath(root).catch(() => root);
  const found = await Promise.all(
    names.map(async (one): Promise<[string, Found][]> => {
      const name = basename(one, extname(one));
      if (!ENDINGS.includes(extname(one)) || !NAME.test(name)) return [];
      const file = join(folder, one);
      return isInside(await realpath(file).catch(() => ''), within) ? [[name, { file, within, builtIn }]] : [];
    }),
  );
  return found.flat();
}

async function readTopology(name: string, { file, within, builtIn }: Found): Promise<Topology> {
  const source = await readSource(file, 'provisioning test topology load etcd_cluster prints one to start from', within);
  if ('message' in source) throw new DefinitionError(file, [source], 'topology');
  return understood(name, source, builtIn);
}

function understood(name: string, source: Source, builtIn: boolean): Topology {
  const refuse = (problems: ReturnType<typeof problemsOf>) => new DefinitionError(source.file, problems, 'topology');
  if (!isRecord(source.value)) throw refuse(reportNotAMap(source, 'a topology'));
  const findings = new Findings();
  findings.all.push(...complaints(topologyFile, source.value));
  const { servers } = source.value;
  for (const [index, server] of (Array.isArray(servers) ? servers : []).entries()) checkHere(server, index, findings);
  const problems = problemsOf(source, findings);
  if (problems.length > 0) throw refuse(problems);
  const { description, unavailable, scripts = [] } = topologyFile.parse(source.value);
  return { name, description, builtIn, ...(unavailable !== undefined && { unavailable }), source, scripts };
}

/** Rejects providers other than this machine. */
function checkHere(server: unknown, index: number, findings: Findings): void {
  if (!isRecord(server)) return;
  const { provider, host } = server;
  if (provider !== undefined && provider !== 'local')
    findings.value(['servers', index, 'provider'], 'the servers of a topology always run on this machine', 'remove the provider');
  if (host !== undefined)
    findings.key(['servers', index, 'host'], 'the platform creates the servers of a topology', 'remove the host');
}
