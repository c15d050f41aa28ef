import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { commitAt, fetchArchive } from '../../authoring/sources/git-source.js';
import { loadBatch } from '../../definition/batch/load-batch.js';
import { providers } from '../../providers/registry.generated.js';
import { taskservs } from '../../taskservs/registry.generated.js';
import { fileIn, load, type Play, problems, server, steps, withFiles } from './play.js';

const GOOD = 'infra: shop\nprovider: demo\nservers: [{ name: hub }]\n';
const host = (fields: string) => `infra: shop\nprovider: local\nservers:\n  - name: hub\n    host: { ${fields} }\n`;

/** A repository with a branch and a tag whose names have a slash, and files whose names have spaces and umlauts. */
const withRepository = (work: (folder: string, git: (...args: string[]) => string) => Promise<void>): Promise<void> =>
  withFiles({ 'server.js': '1', 'a b/grüße.txt': 'hallo' }, async (folder) => {
    const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim();
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first');
    git('branch', 'feature/login');
    git('tag', 'release/2024.1');
    await work(folder, git);
  });

/** Returns the problems of a batch, each with its place. */
const inBatch = (operations: string): Promise<string[]> =>
  withFiles({ 'batch.yaml': `batch: fleet\noperations:\n  - ${operations}\n`, 'infra.yaml': GOOD }, async (folder) => {
    const options = { workspace: 'default', registries: { providers, taskservs }, secretNames: new Set<string>() };
    const { problems: found } = await loadBatch(join(folder, 'batch.yaml'), options);
    return found.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  });

const FILE_CONTENTS = ['\ufeffbom', 'a\r\nb\r\n', 'no last line end', '{{ x }} $(id) `id` ${HOME}\n'];

export const DEFINITIONS: Record<string, Play> = {
  56: async () => {
    const region = await load(
      `${GOOD.replace('provider: demo', 'provider: demo\nlabels: { region: NO, agree: yes, mode: 0o644 }')}`,
    );
    const wrong: [text: string, says: RegExp][] = [
      [`${GOOD}protect: yes\n`, /^4:10: .*(true|yes)/],
      ['infra:\n\tshop: 1\n', /tab/i],
      [`%YAML 1.1\n---\n${GOOD}`, /only YAML 1.2 is supported/],
      [`${GOOD}---\n${GOOD}`, /one document/],
      [`${GOOD}infra: other\n`, /^4:1: this key is given twice/],
      ['', /^1:1: the file is empty/],
    ];
    for (const [text, says] of wrong) expect((await problems(text))[0]).toMatch(says);
    expect(region.problems.map(({ message }) => message)).toEqual(['unknown key "labels"']);
    expect(await problems(GOOD.replace('hub', '"no"'))).toEqual([]);
  },
  57: async () => expect(await problems(`base: &b { protect: true }\n${GOOD}<<: *b\n`)).toContain('5:1: unknown key "<<"'),
  60: () =>
    withRepository(async (folder, git) => {
      const here = { url: folder, isLocal: true };
      for (const ref of ['release/2024.1', 'feature/login'])
        expect(await commitAt(process.env, here, ref)).toBe(git('rev-parse', 'HEAD'));
      await expect(commitAt(process.env, here, 'release/2025')).rejects.toMatchObject({
        message: expect.stringContaining('has no branch or tag "release/2025"'),
        suggestion: expect.any(String),
      });
      const { archive } = await fetchArchive(process.env, here, git('rev-parse', 'HEAD'), 'main');
      const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', '-'], { input: archive, encoding: 'utf8' });
      expect(listed.split('\n')).toEqual(expect.arrayContaining(['a b/grüße.txt', 'server.js']));
    }),
  61: () => {
    const written = (content: string, values = {}) =>
      fileIn(steps('files', { files: { x: { path: '/etc/x', content, values } } }), '/etc/x');
    for (const content of FILE_CONTENTS) expect(written(content)).toBe(content);
    // A value that looks like a place for another value is a text.
    expect(written('a@NAME@b @OTHER@', { NAME: '@OTHER@', OTHER: 'y' })).toBe('a@OTHER@b y');
  },
  62: async () => {
    for (const address of ['[2001:db8::1]', 'ann@db', 'db:22', '192.0.2.010', 'DOMAIN\\\\user'])
      expect((await problems(host(`address: "${address}"`)))[0]).toMatch(/^5:22: write a host name/);
    expect((await problems(host('address: db, jump: "a,b"')))[0]).toMatch(/^5:\d+: write user@address:port/);
  },
  63: async () => {
    const files = {
      unit: { path: '/etc/systemd/system/getty@tty1.service.d/x.conf', content: 'x' },
      spaces: { path: '/etc/a b+c', content: 'x', owner: '1000:1000' },
      dot: { path: '/etc/x', content: 'x', owner: 'john.doe:users' },
    };
    const taken: [name: string, config: unknown][] = [
      ['files', { files }],
      ['users', { users: [{ name: 'john.doe' }] }],
      ['packages', { packages: { 'libc6:i386': 'present' } }],
      ['systemd-units', { units: [{ name: 'u', command: '"/opt/a b/program" --x' }] }],
    ];
    for (const [name, config] of taken) expect([name, await problems(server(name, config))]).toEqual([name, []]);
  },
  64: async () => {
    for (const name of ['5', '""', 'größe', '-x'])
      expect([name, (await inBatch(`{ name: ${name}, kind: cluster, infra: x }`))[0]]).toEqual([
        name,
        expect.stringMatching(/^3:\d+: /),
      ]);
    expect((await inBatch('{ name: a, kind: cluster, infra: x, forEach: 5 }'))[0]).toMatch(/^3:\d+: /);
  },
};
