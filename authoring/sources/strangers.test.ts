import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { archiveOfDirectory } from './directory-source.js';
import { commitAt, fetchArchive } from './git-source.js';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n';

describe('a source that a stranger wrote', () => {
  let top = '';
  let mark = '';
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'strangers-')));
    mark = join(top, 'MARK');
  });
  afterEach(() => {
    process.chdir('/');
    rmSync(top, { recursive: true });
  });
  const at = (path: string) => join(top, path);
  const put = (path: string, text: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), text);
  };
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', at(folder), ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  const listed = (archive: Buffer) =>
    execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' }).split('\n').filter(Boolean);
  const directory = (path: string, isNamed?: (path: string) => boolean) =>
    archiveOfDirectory({ folder: at(path), root: top, state: at('home'), ...(isNamed && { isNamed }) });

  /** Creates a repository without a dot in its name that fetches a missing file through a command. */
  function trap(folder: string): void {
    execFileSync('git', ['init', '-q', '--bare', at(folder)]);
    const settings = {
      'core.bare': 'false',
      'core.worktree': '.',
      'core.repositoryformatversion': '1',
      'core.fsmonitor': `touch ${mark}`,
      'extensions.partialClone': 'origin',
      'remote.origin.url': '/nothing',
      'remote.origin.promisor': 'true',
      'remote.origin.uploadpack': `touch ${mark}; false`,
    };
    for (const [name, value] of Object.entries(settings)) git(folder, 'config', name, value);
    const own = [`--git-dir=${at(folder)}`, `--work-tree=${at(folder)}`, '-c', 'core.fsmonitor=false'];
    const hash = execFileSync('git', ['hash-object', '--stdin'], { input: 'missing\n', encoding: 'utf8' }).trim();
    spawnSync('git', [...own, 'update-index', '--add', '--cacheinfo', `100644,${hash},.gitignore`]);
    spawnSync('git', [...own, 'update-index', '--skip-worktree', '.gitignore']);
    rmSync(mark, { force: true });
  }

  test('runs no command by the settings of a repository in it, which Git would run', async () => {
    trap('app');
    put('app/server.js', '1');
    spawnSync('git', ['-C', at('app'), 'ls-files', '--cached', '--others', '--exclude-standard']);
    expect(existsSync(mark), 'the trap works').toBe(true);
    rmSync(mark);
    expect(listed(await directory('app'))).toContain('server.js');
    expect(existsSync(mark)).toBe(false);
  });

  test('that is a repository on this machine is read without its settings, and its commits are deployed', async () => {
    trap('app');
    put('work/server.js', '1');
    git('work', 'init', '-q', '-b', 'main');
    git('work', 'add', '-A');
    git('work', '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
    git('work', 'tag', '-a', '-m', 'x', 'v1', '--no-sign');
    for (const name of ['config', 'HEAD']) spawnSync('cp', [at(`app/${name}`), at(`work/.git/${name === 'HEAD' ? 'ORIG' : name}`)]);
    const place = { url: at('work'), isLocal: true };
    const commit = await commitAt(process.env, place, 'v1');
    expect(listed((await fetchArchive(process.env, place, commit, 'v1')).archive)).toEqual(['server.js']);
    await expect(commitAt(process.env, { url: at('app'), isLocal: true }, 'HEAD')).rejects.toThrow('has no branch or tag');
    expect(existsSync(mark)).toBe(false);
    put('work/.git/objects/info/alternates', '/elsewhere/objects\n');
    await expect(fetchArchive(process.env, place, commit, 'v1')).rejects.toThrow('borrows objects of another repository');
  });

  test('runs no program for attributes of a commit, also if the user has set one up for them', async () => {
    put('work/a.bin', 'pointer');
    put('work/.gitattributes', '*.bin filter=lfs diff=lfs\nleft-out export-ignore\n');
    put('work/left-out', 'x');
    git('work', 'init', '-q', '-b', 'main');
    git('work', 'add', '-A');
    git('work', '-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
    put('gitconfig', `[filter "lfs"]\n\tsmudge = touch ${mark}; cat\n\tclean = cat\n`);
    const env = { ...process.env, GIT_CONFIG_GLOBAL: at('gitconfig') };
    const place = { url: at('work'), isLocal: true };
    const { archive } = await fetchArchive(env, place, await commitAt(env, place, 'main'), 'main');
    expect(listed(archive)).toEqual(['.gitattributes', 'a.bin']);
    expect(existsSync(mark)).toBe(false);
  });

  test('asks a server without the settings of the repository that the user is in, and by the protocol of its URL', async () => {
    put('work/x', '');
    git('work', 'init', '-q');
    git('work', 'config', 'core.sshCommand', `touch ${mark}; false`);
    git('work', 'config', `url.ext::touch ${mark}.insteadOf`, 'https://git.invalid/');
    process.chdir(at('work'));
    spawnSync('git', ['ls-remote', 'ssh://git.invalid/x'], { cwd: at('work') });
    expect(existsSync(mark), 'the trap works').toBe(true);
    rmSync(mark);
    const env = { ...process.env, GIT_SSH_COMMAND: 'false' };
    for (const url of ['ssh://git.invalid/x', 'https://git.invalid/x'])
      await expect(commitAt(env, { url, isLocal: false }, 'HEAD')).rejects.toThrow();
    expect(existsSync(mark)).toBe(false);
    // The user's own settings may lead from one protocol to another, but not to a file.
    put('repository/x', '');
    put('gitconfig', `[url "file://${at('repository')}"]\n\tinsteadOf = https://git.invalid/x\n`);
    const mine = { ...env, GIT_CONFIG_GLOBAL: at('gitconfig') };
    await expect(commitAt(mine, { url: 'https://git.invalid/x', isLocal: false }, 'HEAD')).rejects.toThrow("'file' not allowed");
  });

  test('takes nothing through a folder that is a link, and no credentials but those that the user lists', async () => {
    put('private/id_ed25519', KEY);
    put('app/server.js', '1');
    symlinkSync(at('private'), at('app/d'));
    await expect(directory('app')).rejects.toThrow('d: it is a link that leads out of it');
    rmSync(at('app/d'));
    put('app/.npmrc', 'x');
    put('app/.git', 'gitdir: elsewhere');
    put('app/sub/.git/config', 'x');
    put('app/.env.example', 'A=');
    expect(listed(await directory('app'))).toEqual(['.env.example', '.npmrc', 'server.js']);
    for (const [path, text] of Object.entries({
      '.env': 'A=1',
      '.env.local': 'A=1',
      '.ssh/config': 'x',
      'deploy-key': KEY,
      'a/id_rsa': 'x',
    })) {
      put(`app/${path}`, text);
      const blamed = path.startsWith('.ssh') ? '.ssh' : path;
      await expect(directory('app')).rejects.toThrow(`look like credentials: ${blamed}`);
      const named = await directory('app', (one) => one === at(`app/${blamed}`));
      expect(listed(named)).toContain(path);
      put('app/.gitignore', blamed);
      expect(listed(await directory('app'))).not.toContain(path);
      rmSync(at('app/.gitignore'));
      rmSync(at(`app/${blamed}`), { recursive: true });
    }
    put('home/x', '');
    await expect(archiveOfDirectory({ folder: top, root: top, state: at('home') })).rejects.toThrow(
      'the platform keeps its state in it',
    );
  });
});
