import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKcl, findNickel } from '../../test/support/languages.js';
import { scriptApart } from './apart.js';
import { readNamed } from './read-named.js';
import { runLimited } from './run-limited.js';

const CANARY = 'canary-of-the-operator';
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const mounts = ['unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'];
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const own = ['unshare', '--user', '--map-root-user', '--mount'];
/** Ways to start a program, and the kernel features that each needs. */
const WAYS = [
  { who: 'root', through: ['unshare', '--mount', '--net'], asks: mounts, uid: 0 },
  { who: 'root in a namespace of users', through: [...own, '--net'], asks: [...own, ...mounts.slice(2)], uid: 0 },
  {
    who: isRoot ? 'nobody' : 'this user',
    through: [...(isRoot ? asNobody : []), ...own, '--net'],
    asks: [...(isRoot ? asNobody : []), ...own, ...mounts.slice(2)],
    uid: isRoot ? NOBODY : undefined,
  },
].filter(({ uid }) => uid !== 0 || isRoot);
const allows = ([program = '', ...args]: readonly string[]) => spawnSync(program, args).status === 0;

let top: string;
let shop: string;
let home: string;
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'apart-')));
  chmodSync(top, 0o755);
  // A name that a table of mounts, a shell and a list of options each read otherwise.
  shop = join(top, 'shop, "a\tb\'s" \\040 $HOME #1');
  home = join(top, 'home');
  mkdirSync(join(shop, 'infra'), { recursive: true });
  mkdirSync(home);
  for (const path of [join(home, 'key'), join(top, 'beside')]) writeFileSync(path, JSON.stringify(CANARY));
  writeFileSync(join(shop, 'provisioning.yaml'), '');
  writeFileSync(join(shop, 'infra/near'), 'from-inside');
  writeFileSync(join(shop, 'common.k'), 'canary = "from-inside"\n');
  writeFileSync(join(top, 'beside.k'), `canary = "${CANARY}"\n`);
  symlinkSync('../common.k', join(shop, 'infra/common.k'));
  symlinkSync('../../beside.k', join(shop, 'infra/out.k'));
  writeFileSync(join(shop, 'inside'), JSON.stringify('from-inside'));
  symlinkSync('../../beside', join(shop, 'infra/out'));
  symlinkSync('../inside', join(shop, 'infra/in'));
  symlinkSync('../../home', join(shop, 'infra/house'));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/**
 * Files that no definition may read: of the system, of the home, beside the workspace, behind links, of other
 * processes.
 */
const secrets = () => [
  '/etc/passwd',
  '/proc/self/environ',
  '/proc/1/cmdline',
  join(home, 'key'),
  join(top, 'beside'),
  join(shop, 'infra/out'),
  join(shop, 'infra/house/key'),
  join(shop, '../beside'),
];
const allowed = () => [join(shop, 'inside'), join(shop, 'infra/in')];

describe.each(WAYS)('a program that $who starts apart', ({ through, asks, uid }) => {
  /** Output of a shell that runs there. */
  async function shell(script: string, args: readonly string[] = []): Promise<string> {
    const folder = realpathSync(mkdtempSync(join(top, 'private-')));
    if (uid !== undefined) chownSync(folder, uid, uid);
    const view = { folder, program: realpathSync('/bin/sh'), root: shop, cwd: join(shop, 'infra'), home };
    // Only root can write the mount table of root's folder.
    const apart = (await scriptApart(view)) ?? '';
    const words = [...through, '--', '/bin/sh', '-c', apart, 'sh'];
    let isReady = false;
    const ready = () => {
      isReady = true;
    };
    const env = { PATH: '/usr/bin:/bin', HOME: home };
    const ran = await runLimited({
      program: '/bin/sh',
      args: ['-c', script, 'sh', ...args],
      cwd: '/',
      env,
      seconds: 10,
      through: words,
      ready,
    });
    expect(ran).toMatchObject({ kind: 'ended' });
    expect({ isReady, ran }).toMatchObject({ isReady: true });
    return ran.kind === 'ended' ? ran.output : '';
  }

  test.skipIf(!allows(asks))('reads its workspace, and nothing else of a user', async () => {
    const script = 'for file; do if cat "$file" >/dev/null 2>&1; then printf "%s\\n" "$file"; fi; done';
    expect((await shell(script, [...secrets(), ...allowed()])).trimEnd().split('\n')).toEqual(allowed());
  });

  test.skipIf(!allows(asks))('sees the system and the workspace, with its own folder as the current one', async () => {
    expect(await shell('pwd; echo /* /home/* /etc/* /root/*')).toBe(
      `${join(shop, 'infra')}\n${['/bin', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/proc', '/sbin', '/tmp', '/usr'].filter((path) => ['/tmp', '/etc', '/proc'].includes(path) || existsSync(path)).join(' ')} /home/* /etc/alternatives /etc/ld.so.cache /root/*\n`,
    );
  });

  test.skipIf(!allows(asks))('writes nothing of it, and mounts nothing', async () => {
    const script =
      'echo x >../inside; echo x >../new; echo x >/usr/new; mount -t proc proc /tmp; mount -o remount,rw "$1"; echo x >../new; echo "ended"';
    expect(await shell(`( ${script} ) 2>/dev/null`, [shop])).toBe('ended\n');
    expect(readFileSync(join(shop, 'inside'), 'utf8')).toBe('"from-inside"');
    expect([join(shop, 'new'), '/usr/new'].filter((path) => existsSync(path))).toEqual([]);
  });

  test.skipIf(!allows(asks))('has no network but loopback of its own', async () => {
    expect(await shell('cat /sys/class/net/*/address 2>/dev/null; [ -e /sys ] || echo none')).toBe('none\n');
  });
});

const REST = { k: 'infra = "shop"\nservers = [{ name = "web" }]\n', ncl: 'infra = "shop", servers = [{ name = "web" }]' };
const readsInKcl = (path: string) => `import file\n${REST.k}labels = { read = file.read(${JSON.stringify(path)}) }\n`;
const importsInKcl = (name: string) => `import ${name}\n${REST.k}labels = { read = ${name}.canary }\n`;
const importsInNickel = (path: string) => `{ ${REST.ncl}, labels = { read = import ${JSON.stringify(path)} as 'Text } }\n`;
/** Definitions that read a file, outside of the workspace and in it. */
const LANGUAGES = [
  {
    ...{ ending: 'k', find: findKcl },
    outside: () => [importsInKcl('out'), ...secrets().map(readsInKcl)],
    inside: () => [importsInKcl('common'), readsInKcl(join(shop, 'infra/near'))],
  },
  {
    ...{ ending: 'ncl', find: findNickel },
    outside: () => secrets().map(importsInNickel),
    inside: () => allowed().map(importsInNickel),
  },
];

for (const { ending, find, outside, inside } of LANGUAGES) {
  const tool = await find();
  if ('why' in tool) console.warn(tool.why);
  const isPossible = 'programs' in tool && WAYS.some(({ asks }) => allows(asks));
  describe.skipIf(!isPossible)(`a definition in .${ending}`, { timeout: 120_000 }, () => {
    const { programs, folders } = 'programs' in tool ? tool : { programs: '', folders: [] };
    const PATH = process.env.PATH;
    beforeAll(() => {
      process.env.PATH = `${programs}:${PATH}`;
    });
    afterAll(() => {
      process.env.PATH = PATH;
    });
    async function said(text: string, more = folders): Promise<string> {
      const file = join(shop, `infra/shop.${ending}`);
      writeFileSync(file, text);
      return JSON.stringify(await readNamed(file, 'none', { folders: more }));
    }

    test('reads files of its workspace, also by a link', async () => {
      for (const text of inside()) expect(await said(text)).toMatch(/from-inside.*"warnings":\[\]/);
    });

    test('reads no other file of the operator', async () => {
      for (const text of outside()) {
        const answer = await said(text);
        expect([text, answer]).toEqual([text, expect.stringMatching(/^\[\{"file"/)]);
        expect([text, answer.includes(CANARY), answer.includes('root:x:0')]).toEqual([text, false, false]);
      }
    });

    test('says which setting it needs if its program lies in folders that it does not see', async () => {
      if (folders.length > 0) expect(await said(inside()[0] ?? '', [])).toMatch(/does not start.*config set languages\.folders/);
    });
  });
}
