import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve as resolvePath } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ProvisioningError } from '../../core/errors.js';
import { ARTIFACT_PART } from '../../core/host/artifact.js';
import { LIMITS, sizeText } from '../../core/limits.js';
import { loadModules } from '../../core/registry.js';
import { type Path, type Problem, pathText } from '../../definition/source/problem.js';
import { isRecord } from '../../definition/source/salvage.js';
import type { FileText, Source } from '../../definition/source/source.js';
import { isWholeHome, WHOLE_HOME } from '../../definition/source/whole-home.js';
import { settledEnvironment } from '../../settings/settings.js';
import { addressOfFile } from '../bundle/bundle-store.js';
import type { Context } from '../context.js';
import { forbiddenIdentities } from '../definition/allowed-identities.js';
import { ALLOWED_FILES, isAllowed } from '../given/allowed.js';
import { allowedPath } from '../given/file.js';
import { registries } from '../modules/registries.js';
import { archiveOfDirectory } from './directory-source.js';
import { SMALLER } from './git.js';
import { archiveOf, commitAt } from './git-source.js';
import { SourceFault } from './source-fault.js';

/** What was found at a source: what the definition says of it from then on, and what is kept with it. */
interface Resolved {
  resolved: { commit: string; sha256: string; kept: string[] };
  texts: FileText[];
}

/** A source that a definition names, and where. */
interface Named {
  path: Path;
  source: Record<string, unknown>;
}

/**
 * What looks which commit each source of a definition is at, and archives it. Definitions are loaded where the user is:
 * Git there has his credentials, which no host and no worker needs then.
 */
export function sourceResolver(context: Pick<Context, 'env' | 'home' | 'workspace'>) {
  return async function resolveSources(source: Source, root: string): Promise<Source | Problem[]> {
    const forbidden = await forbiddenIdentities(source, await settledEnvironment(context.home, context.env));
    if (forbidden.length > 0) return forbidden;
    const named = await sourcesIn(source.value);
    if (named.length === 0) return source;
    const problems: Problem[] = [];
    const known = new Map<string, Promise<Resolved>>();
    const texts: FileText[] = [];
    let value = source.value;
    for (const { path, source: written } of named) {
      const at = (message: string, suggestion?: string, key?: string): void => {
        const exact = key === undefined || !(key in written) ? path : [...path, key];
        const { path: there = exact, ...place } = source.place(exact, 'value');
        problems.push({ file: source.file, ...place, path: pathText(there), message, ...(suggestion && { suggestion }) });
      };
      if ('resolved' in written) {
        at('"resolved" is written by the platform', 'leave it out', 'resolved');
        continue;
      }
      const key = JSON.stringify(written);
      const found = known.get(key) ?? resolve(context, written, { root, file: source.file });
      known.set(key, found);
      try {
        const one = await found;
        if (!texts.some(({ file }) => file === one.texts[0]?.file)) texts.push(...one.texts);
        value = withResolved(value, path, one.resolved);
      } catch (error) {
        if (error instanceof SourceFault)
          at(error.message, error.suggestion, /branch or tag|commit/.test(error.message) ? 'ref' : undefined);
        else if (error instanceof ProvisioningError && error.details.blame === 'user') at(error.message, error.details.hint);
        else throw error;
      }
    }
    return problems.length > 0 ? problems : { ...source, value, texts: [...(source.texts ?? []), ...texts] };
  };
}

/** The sources that entries of taskservs name that deploy one. What is not well-formed is left to the schema. */
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
  { env, home, workspace }: Pick<Context, 'env' | 'home' | 'workspace'>,
  source: Record<string, unknown>,
  { root, file }: { root: string; file: string },
): Promise<Resolved> {
  const local = (path: string) => allowedPath(path, { context: { env, home }, root } as Parameters<typeof allowedPath>[1]);
  if (typeof source.directory === 'string') {
    const folder = (await wholeWorkspace(source.directory, root, home)) ?? (await local(source.directory));
    const isNamed = (path: string) => isAllowed(env, ALLOWED_FILES, path);
    const archive = await archiveOfDirectory({ folder, root, state: home.root, isNamed });
    return kept(workspace, file, archive, createHash('sha256').update(archive).digest('hex'));
  }
  const written = String(source.git);
  const isLocal = /^\.{0,2}\//.test(written);
  const place = { url: isLocal ? await local(written) : written, isLocal };
  const ref = typeof source.ref === 'string' ? source.ref : 'HEAD';
  const commit = await commitAt(env, place, ref);
  return kept(workspace, file, await archiveOf(env, place, commit, ref), commit);
}

/** The folder of the workspace, where a path names all of it. @throws SourceFault */
async function wholeWorkspace(path: string, root: string, home: Context['home']): Promise<string | undefined> {
  const own = await realpath(root);
  if (resolvePath(root, path) !== resolvePath(root)) return undefined;
  if (await isWholeHome(own)) throw new SourceFault(WHOLE_HOME);
  const state = relative(own, await realpath(home.root).catch(() => home.root));
  if (state.startsWith('..') || isAbsolute(state)) return own;
  throw new SourceFault('the state of provisioning lies in it', 'name a directory below it');
}

/** The archive as texts that go with the definition. @throws SourceFault */
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

/** A copy with what was found in place; nothing that others have is changed. */
function withResolved(value: unknown, path: Path, resolved: Resolved['resolved']): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return { ...(value as object), resolved };
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? withResolved(item, rest, resolved) : item));
  return { ...(value as object), [key]: withResolved((value as Record<string, unknown>)[key], rest, resolved) };
}
