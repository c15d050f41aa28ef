import { LIMITS } from '../../core/limits.js';
import { foldersIn } from './archive-folders.js';
import { type Budget, createBudget } from './bounds.js';
import { refuseOutside } from './directory-source.js';
import { type GitResult, gitFault, localGit, remoteGit, SMALLER } from './git.js';
import { readRepository } from './local-repository.js';
import { useRepository } from './repository.js';
import { SourceFault } from './source-fault.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Location of a repository: on a server or in a local folder. */
export interface GitPlace {
  /** URL from the definition, or the path of the folder without links. */
  url: string;
  isLocal: boolean;
  /** Limits on Git. Default: a new budget for each query. */
  budget?: Budget;
}

/** Archived content of a commit. */
export interface GitArchive {
  /** A tar archive. */
  archive: Buffer;
  /** Paths of submodules, which are empty folders in the archive. */
  submodules: string[];
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
/** Modes of paths in a commit: files, executables and links. */
const LINK = '120000';
const SUBMODULE = '160000';
/** Maximum bytes of a path. No system supports longer ones, and each folder of a path is checked. */
const LONGEST_PATH = 4_096;

/**
 * Returns the protocols that Git may use for a URL. A user's `insteadOf` may lead from one to the other, but never to
 * a program or a file.
 */
const protocolsOf = (url: string): string => (url.startsWith('http://') ? 'http:https:ssh' : 'https:ssh');

/**
 * Returns the commit to which a reference currently points.
 *
 * @throws SourceFault
 */
export async function commitAt(env: Env, place: GitPlace, ref: string): Promise<string> {
  const { url, isLocal, budget = createBudget() } = place;
  if (COMMIT.test(ref)) return ref;
  const names = ref === 'HEAD' ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`, ref];
  const commit = isLocal ? await localCommit(env, { url, budget }, names) : await remoteCommit(env, { url, budget }, names);
  if (commit) return commit;
  const isShort = /^[0-9a-f]{7,39}$/.test(ref);
  throw new SourceFault(
    `${url} has no branch or tag "${ref}"`,
    isShort ? 'write all 40 digits of a commit' : `list its branches and tags: git ls-remote --heads --tags ${url}`,
  );
}

type Asked = Required<Pick<GitPlace, 'url' | 'budget'>>;

async function remoteCommit(env: Env, { url, budget }: Asked, names: readonly string[]): Promise<string | undefined> {
  const args = ['ls-remote', '--', url, ...names];
  const found = await useRepository('', (repository) => remoteGit(env, protocolsOf(url), { repository, args, budget }));
  if (found.exit !== 0) throw gitFault(url, found);
  const rows = found.stdout.toString('utf8').split('\n');
  const byName = new Map(rows.map((row) => [row.split('\t')[1] ?? '', row.split('\t')[0] ?? '']));
  return names.map((name) => byName.get(name)).find((one) => one !== undefined && COMMIT.test(one));
}

async function localCommit(env: Env, { url: folder, budget }: Asked, names: readonly string[]): Promise<string | undefined> {
  const { id, objects } = readRepository(folder, folder, names);
  if (id === undefined) return undefined;
  // A tag may be a separate object.
  const args = ['rev-parse', '--verify', '-q', '--end-of-options', `${id}^{commit}`];
  const found = await useRepository(id, (repository) => localGit(env, { repository, args, budget }), objects);
  return found.exit === 0 ? found.stdout.toString('utf8').trim() : undefined;
}

/**
 * Archives a commit without the contents of submodules and Git LFS. The submodule addresses of an untrusted commit are
 * never contacted.
 *
 * @throws SourceFault
 */
export async function fetchArchive(env: Env, place: GitPlace, commit: string, ref: string): Promise<GitArchive> {
  const { url, isLocal, budget = createBudget() } = place;
  const objects = isLocal ? readRepository(url, url, []).objects : undefined;
  return useRepository(
    commit,
    async (repository) => {
      const here: Here = (args, more) => localGit(env, { repository, args, budget, ...more });
      if (!isLocal) await fetch(env, repository, { url, commit, ref, budget });
      const isThere = await here(['cat-file', '-e', `${commit}^{commit}`]);
      if (isThere.exit !== 0 && isLocal) throw new SourceFault(`${url} has no commit ${commit}`);
      if (isThere.exit !== 0) throw new SourceFault(`"${ref}" of ${url} moved just now`, 'load the definition again');
      const rows = await listed(here, commit, url);
      await refuseLinks(here, rows, url);
      const packed = await here(['-c', 'tar.umask=0022', 'archive', '--format=tar', commit], { answer: budget.bounds.archive });
      if (packed.exit !== 0) throw gitFault(url, packed);
      return { archive: packed.stdout, submodules: submodulesOf(rows, packed.stdout) };
    },
    objects,
  );
}

/** Runs Git on our own repository. */
type Here = (args: readonly string[], more?: { stdin?: string; answer?: number }) => Promise<GitResult>;

async function fetch(
  env: Env,
  repository: string,
  { url, commit, ref, budget }: Asked & { commit: string; ref: string },
): Promise<void> {
  const get = (what: string) => {
    const args = ['fetch', '-q', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-auto-maintenance', '--', url, what];
    return remoteGit(env, protocolsOf(url), { repository, args, budget });
  };
  let fetched = await get(commit);
  // Some servers provide only commits that a branch or a tag names.
  if (fetched.exit !== 0 && !COMMIT.test(ref)) fetched = await get(ref);
  if (fetched.exit === 0) return;
  if (/not our ref|unadvertised object|no such remote ref|couldn't find remote ref/i.test(fetched.stderr))
    throw new SourceFault(`${url} has no commit ${commit}`);
  throw gitFault(url, fetched);
}

/** Entry of a commit's trees. */
interface Row {
  mode: string;
  hash: string;
  path: string;
}

/**
 * Lists the entries of a commit.
 *
 * @throws SourceFault if there are more entries, or longer paths, than an archive may have
 */
async function listed(here: Here, commit: string, url: string): Promise<Row[]> {
  const found = await here(['ls-tree', '-r', '-z', commit]);
  if (found.exit !== 0) throw gitFault(url, found);
  const texts = found.stdout.toString('utf8').split('\0');
  const most = LIMITS.artifactEntries;
  if (texts.length > most) throw new SourceFault(`it has more than ${most.toLocaleString('en')} files`, SMALLER);
  return texts.flatMap((row) => {
    const [, mode = '', hash = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
    if (path.length > LONGEST_PATH) throw new SourceFault(`${url} has a path of more than ${LONGEST_PATH} characters`);
    return mode === '' ? [] : [{ mode, hash, path }];
  });
}

/** Returns the submodules with an empty folder in the archive. Paths that `.gitattributes` excludes are not missing. */
function submodulesOf(rows: readonly Row[], archive: Buffer): string[] {
  const paths = rows.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path);
  if (paths.length === 0) return [];
  const folders = foldersIn(archive);
  return paths.filter((path) => folders.has(path));
}

/**
 * Rejects paths below links. A commit's tree may have arbitrary and duplicate names, and files below a link would be
 * unpacked elsewhere.
 */
async function refuseLinks(here: Here, all: readonly Row[], url: string): Promise<void> {
  const rows = all.filter(({ mode }) => mode !== SUBMODULE);
  const inGit = rows.find(({ path }) => path.split('/').some((part) => part.toLowerCase() === '.git'));
  if (inGit) throw new SourceFault(`${url} has files in a folder .git`, 'Git never creates such a commit: ask its author');
  const hashes = rows.filter(({ mode }) => mode === LINK).map(({ hash }) => hash);
  const targets = hashes.length === 0 ? [] : await textsOf(here, hashes, url);
  let link = 0;
  refuseOutside(
    rows.map(({ mode, path }) => {
      if (mode !== LINK) return { path };
      link += 1;
      return { path, target: targets[link - 1] ?? '' };
    }),
  );
}

/** Returns the texts of objects, read by a single process. */
async function textsOf(here: Here, hashes: readonly string[], url: string): Promise<string[]> {
  const found = await here(['cat-file', '--batch'], { stdin: hashes.map((hash) => `${hash}\n`).join('') });
  const texts: string[] = [];
  let at = 0;
  while (at < found.stdout.length) {
    const end = found.stdout.indexOf('\n', at);
    const size = Number(/^[0-9a-f]+ blob (\d+)$/.exec(found.stdout.toString('latin1', at, end))?.[1] ?? Number.NaN);
    if (Number.isNaN(size)) break;
    texts.push(found.stdout.toString('utf8', end + 1, end + 1 + size));
    at = end + size + 2;
  }
  if (texts.length !== hashes.length) throw new SourceFault(`${url} has a link whose target is missing`);
  return texts;
}
