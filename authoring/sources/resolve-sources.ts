import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve as resolvePath } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ProvisioningError } from '../../core/errors.js';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { loadModules } from '../../core/registry.js';
import { registries } from '../../definition/registries/registries.js';
import { addressOfFile } from '../../definition/source/file-address.js';
import { type Path, type Problem, pathText, problemText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { FileText, Source } from '../../definition/source/source.js';
import { isWholeHome, WHOLE_HOME } from '../../definition/source/whole-home.js';
import { resolveEnvironment } from '../../settings/settings.js';
import type { Context } from '../context.js';
import { findForbiddenIdentities } from '../definition/allowed-identities.js';
import { ALLOWED_FILES, isAllowed } from '../given/allowed.js';
import { resolveAllowedPath } from '../given/file.js';
import { createBudget } from './bounds.js';
import { archiveOfDirectory } from './directory-source.js';
import { SMALLER } from './git.js';
import { commitAt, fetchArchive } from './git-source.js';
import { SourceFault } from './source-fault.js';
import { submoduleWarning } from './submodule-warning.js';

/** Resolved source: the part that the definition records, and the part that is stored with it. */
interface Resolved {
  resolved: { commit: string; sha256: string; kept: string[] };
  texts: FileText[];
  /** Paths of submodules, which are empty folders in the archive. */
  submodules?: string[];
}

/** Source that a definition names, with its place. */
interface Named {
  path: Path;
  source: Record<string, unknown>;
}

type Around = Pick<Context, 'env' | 'home' | 'workspace' | 'note' | 'withoutGitServers'>;

/**
 * Returns a function that resolves and archives the commit of each source in a definition. Definitions are loaded on
 * the user's machine, where Git has the user's credentials. Hosts and workers therefore need none. With
 * `withoutGitServers`, sources on servers stay as written and a note lists them. A warning lists submodules.
 */
export function sourceResolver(context: Around) {
  return async function resolveSources(source: Source, root: string): Promise<Source | Problem[]> {
    const forbidden = await findForbiddenIdentities(source, await resolveEnvironment(context.home, context.env));
    if (forbidden.length > 0) return forbidden;
    const named = await sourcesIn(source.value);
    if (named.length === 0) return source;
    const problems: Problem[] = [];
    const known = new Map<string, Promise<Resolved>>();
    const texts: FileText[] = [];
    const unseen = new Set<string>();
    let value = source.value;
    for (const { path, source: written } of named) {
      const problemAt = (exact: Path, message: string, suggestion?: string): Problem => {
        const { path: there = exact, ...place } = source.place(exact, 'value');
        return { file: source.file, ...place, path: pathText(there), message, ...(suggestion && { suggestion }) };
      };
      const at = (message: string, suggestion?: string, key?: string): void => {
        const exact = key === undefined || !(key in written) ? path : [...path, key];
        problems.push(problemAt(exact, message, suggestion));
      };
      if ('resolved' in written) {
        at('"resolved" is written by the platform', 'leave it out', 'resolved');
        continue;
      }
      if (context.withoutGitServers && isAtServer(written)) {
        unseen.add(String(written.git));
        continue;
      }
      const key = JSON.stringify(written);
      const isNew = !known.has(key);
      const found = known.get(key) ?? resolve(context, written, { root, file: source.file });
      known.set(key, found);
      try {
        const one = await found;
        if (!texts.some(({ file }) => file === one.texts[0]?.file)) texts.push(...one.texts);
        value = withResolved(value, path, one.resolved);
        const warning = isNew && submoduleWarning(String(written.git), one.submodules ?? []);
        if (warning) context.note(`warning: ${problemText(problemAt(path, ...warning))}`);
      } catch (error) {
        if (error instanceof SourceFault)
          at(error.message, error.suggestion, /branch or tag|commit/.test(error.message) ? 'ref' : undefined);
        else if (error instanceof ProvisioningError && error.details.blame === 'user') at(error.message, error.details.hint);
        else throw error;
      }
    }
    for (const url of unseen)
      context.note(`note: ${url} was not checked: this command does not contact Git servers, \`apply --check\` does`);
    return problems.length > 0 ? problems : { ...source, value, texts: [...(source.texts ?? []), ...texts] };
  };
}

/** Returns the sources of taskservs that deploy one. Malformed sources are left to the schema. */
async function sourcesIn(value: unknown): Promise<Named[]> {
  if (!isRecord(value)) return [];
  const lists: { path: Path; entries: unknown }[] = [{ path: ['taskservs'], entries: value.taskservs }];
  if (Array.isArray(value.servers))
    value.servers.forEach((server, index) => {
      if (isRecord(server)) lists.push({ path: ['servers', index, 'taskservs'], entries: server.taskservs });
    });
  const found = lists.flatMap(({ path, entries }) =>
    (Array.isArray(entries) ? entries : []).flatMap((entry, index) => {
      const source = isRecord(entry) && isRecord(entry.config) ? entry.config.source : undefined;
      return isRecord(entry) && isRecord(source) && typeof entry.name === 'string'
        ? [{ name: entry.name, path: [...path, index, 'config', 'source'], source }]
        : [];
    }),
  );
  if (found.length === 0) return [];
  const { taskservs } = await registries();
  const modules = await loadModules(
    taskservs,
    found.map(({ name }) => name),
  );
  return found.filter(({ name, source }) => {
    const shape = modules[name]?.sources;
    return shape?.safeParse(source).success;
  });
}

async function resolve(
  { env, home, workspace }: Around,
  source: Record<string, unknown>,
  { root, file }: { root: string; file: string },
): Promise<Resolved> {
  const local = (path: string) =>
    resolveAllowedPath(path, { context: { env, home }, root } as Parameters<typeof resolveAllowedPath>[1]);
  if (typeof source.directory === 'string') {
    const folder = (await wholeWorkspace(source.directory, root, home)) ?? (await local(source.directory));
    const isNamed = (path: string) => isAllowed(env, ALLOWED_FILES, path);
    const archive = await archiveOfDirectory({ folder, root, state: home.root, isNamed });
    return kept(workspace, file, archive, createHash('sha256').update(archive).digest('hex'));
  }
  const isLocal = !isAtServer(source);
  const written = String(source.git);
  const place = { url: isLocal ? await local(written) : written, isLocal, budget: createBudget() };
  const ref = typeof source.ref === 'string' ? source.ref : 'HEAD';
  const commit = await commitAt(env, place, ref);
  const { archive, submodules } = await fetchArchive(env, place, commit, ref);
  return { ...kept(workspace, file, archive, commit), submodules };
}

/** Returns whether a source has a URL: it is neither a directory nor the path of a local repository. */
const isAtServer = ({ git }: Record<string, unknown>): boolean => typeof git === 'string' && !/^\.{0,2}\//.test(git);

/**
 * Returns the folder of the workspace if a path names all of it.
 *
 * @throws SourceFault
 */
async function wholeWorkspace(path: string, root: string, home: Context['home']): Promise<string | undefined> {
  const own = await realpath(root);
  if (resolvePath(root, path) !== resolvePath(root)) return undefined;
  if (await isWholeHome(own)) throw new SourceFault(WHOLE_HOME);
  const state = relative(own, await realpath(home.root).catch(() => home.root));
  if (state.startsWith('..') || isAbsolute(state)) return own;
  throw new SourceFault('the platform keeps its state in it', 'name a directory below it');
}

/**
 * Returns the archive as texts that are stored with the definition.
 *
 * @throws SourceFault
 */
function kept(workspace: string, file: string, archive: Buffer, commit: string): Resolved {
  const packed = gzipSync(archive, { level: 6 });
  if (packed.length > LIMITS.source)
    throw new SourceFault(`it has ${sizeText(packed.length)} compressed, and at most ${sizeText(LIMITS.source)} are kept`, SMALLER);
  const texts: FileText[] = [];
  for (let from = 0; from < packed.length; from += ARTIFACT_PART) {
    const part = String(texts.length).padStart(3, '0');
    const text = packed.subarray(from, from + ARTIFACT_PART).toString('base64');
    texts.push({ file: join(dirname(file), '.sources', `${commit.slice(0, 12)}.tar.gz.${part}`), text });
  }
  const sha256 = createHash('sha256').update(packed).digest('hex');
  return { resolved: { commit, sha256, kept: texts.map(({ text }) => addressOfFile(workspace, text)) }, texts };
}

/** Returns a copy with the resolved source. The original is not changed. */
function withResolved(value: unknown, path: Path, resolved: Resolved['resolved']): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return { ...(value as object), resolved };
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withResolved(item, rest, resolved) : item));
  return { ...(value as object), [key]: withResolved((value as Record<string, unknown>)[key], rest, resolved) };
}
