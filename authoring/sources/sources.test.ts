import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveOfDirectory } from './directory-source.js';
import { gitFault } from './git.js';
import { commitAt, fetchArchive } from './git-source.js';

const listed = (archive: Buffer): string[] =>
  execFileSync('tar', ['-tf', '-'], { input: archive, encoding: 'utf8' }).split('\n').filter(Boolean);

describe('the source of an application', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
  const commit = (message: string): string => {
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };
  const here = { url: folder, isLocal: true };
  let first = '';

  beforeAll(() => {
    git('init', '-q', '-b', 'main');
    writeFileSync(join(folder, 'server.js'), '1');
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules', 'x'), 'x');
    first = commit('first');
    git('tag', 'v1');
    writeFileSync(join(folder, 'server.js'), '2');
    commit('second');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('of Git is the commit that a branch, a tag or HEAD names', async () => {
    expect(await commitAt(process.env, here, 'v1')).toBe(first);
    expect(await commitAt(process.env, here, 'main')).toBe(git('rev-parse', 'main'));
    expect(await commitAt(process.env, here, 'HEAD')).toBe(git('rev-parse', 'main'));
    const { archive } = await fetchArchive(process.env, here, first, 'v1');
    expect(execFileSync('tar', ['-xOf', '-', 'server.js'], { input: archive, encoding: 'utf8' })).toBe('1');
  });

  test('that is not there is told of', async () => {
    await expect(commitAt(process.env, here, 'nothing')).rejects.toThrow('has no branch or tag "nothing"');
    await expect(commitAt(process.env, { url: join(folder, 'node_modules', 'none'), isLocal: true }, 'main')).rejects.toThrow(
      'is not a Git repository',
    );
    await expect(fetchArchive(process.env, here, '0'.repeat(40), '0'.repeat(40))).rejects.toThrow('has no commit 000');
    const said = (stderr: string) =>
      gitFault('git@git.example.org:shop.git', { exit: 128, stdout: Buffer.alloc(0), stderr }).message;
    expect(said('Host key verification failed.\nfatal: Could not read from remote repository.')).toContain(
      'the host key of git.example.org',
    );
    expect(said('git@git.example.org: Permission denied (publickey).')).toBe('no access to git@git.example.org:shop.git');
  });

  test('of a directory is what Git does not ignore, and the same for the same files', async () => {
    const archive = await archiveOfDirectory({ folder, root: folder });
    expect(listed(archive)).toEqual(['.gitignore', 'server.js']);
    expect(await archiveOfDirectory({ folder, root: folder })).toEqual(archive);
  });

  test('with a link that leads out of it is refused', async () => {
    symlinkSync('/etc/passwd', join(folder, 'users'));
    await expect(archiveOfDirectory({ folder, root: folder })).rejects.toThrow('users: it is a link that leads out of it');
    const linked = commit('a link');
    await expect(fetchArchive(process.env, here, linked, 'main')).rejects.toThrow('users: it is a link that leads out of it');
  });
});
