import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, gitFault } from './git.js';
import { refuseLinksOut } from './links.js';
import { SourceFault } from './source-fault.js';

type Env = Readonly<Record<string, string | undefined>>;

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The commit that a reference names now.
 *
 * @throws SourceFault
 */
export async function commitAt(env: Env, url: string, ref: string): Promise<string> {
  if (COMMIT.test(ref)) return ref;
  const names = ref === 'HEAD' ? ['HEAD'] : [`refs/heads/${ref}`, `refs/tags/${ref}^{}`, `refs/tags/${ref}`, ref];
  const found = await git(env, ['ls-remote', '--', url, ...names]);
  if (found.exit !== 0) throw gitFault(url, found);
  const rows = found.stdout.toString('utf8').split('\n');
  const byName = new Map(rows.map((row) => [row.split('\t')[1] ?? '', row.split('\t')[0] ?? '']));
  const commit = names.map((name) => byName.get(name)).find((one) => one !== undefined && COMMIT.test(one));
  if (commit) return commit;
  const isShort = /^[0-9a-f]{7,39}$/.test(ref);
  throw new SourceFault(
    `${url} has no branch or tag "${ref}"`,
    isShort ? 'a commit is written in full, with its 40 digits' : `see what it has: git ls-remote --heads --tags ${url}`,
  );
}

/**
 * What a commit has, as a tar archive. Contents of submodules and of Git LFS are not in it.
 *
 * @throws SourceFault
 */
export async function archiveOf(env: Env, url: string, commit: string, ref: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'provisioning-source-'));
  const here = async (...args: string[]) => git(env, ['-C', folder, ...args]);
  try {
    await here('init', '-q', '--bare');
    const fetch = ['fetch', '-q', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', url];
    let fetched = await here(...fetch, commit);
    // Servers that give only what a branch or a tag names.
    if (fetched.exit !== 0 && !COMMIT.test(ref)) fetched = await here(...fetch, ref);
    if (fetched.exit !== 0) {
      if (/not our ref|unadvertised object|no such remote ref|couldn't find remote ref/i.test(fetched.stderr))
        throw new SourceFault(`${url} has no commit ${commit}`);
      throw gitFault(url, fetched);
    }
    const isThere = await here('cat-file', '-e', `${commit}^{commit}`);
    if (isThere.exit !== 0) throw new SourceFault(`"${ref}" of ${url} moved just now`, 'load the definition again');
    await refuseLinks(here, commit);
    const archive = await here('-c', 'tar.umask=0022', 'archive', '--format=tar', commit);
    if (archive.exit !== 0) throw gitFault(url, archive);
    return archive.stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function refuseLinks(here: (...args: string[]) => ReturnType<typeof git>, commit: string): Promise<void> {
  const listed = await here('ls-tree', '-r', '-z', commit);
  const links = listed.stdout
    .toString('utf8')
    .split('\0')
    .flatMap((row) => {
      const [, hash, path] = /^120000 blob ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
      return hash && path ? [{ hash, path }] : [];
    });
  for (const { hash, path } of links) refuseLinksOut(path, (await here('cat-file', 'blob', hash)).stdout.toString('utf8'));
}
