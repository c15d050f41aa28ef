import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** Traps that a stranger's workspace can have beside its definition, drawn by a seed. */
export const TRAPS = [
  'embedded',
  'dot-git',
  'alternates',
  'link-file',
  'link-folder',
  'link-over-link',
  'link-include',
  'link-environment',
  'link-ignore',
  'names',
  'deep',
  'wide',
  'fifo',
  'socket',
  'branch',
  'attributes',
  'link-parts',
  'link-marks',
  'bytes',
  'repositories',
  'references',
  'imports',
  'link-parent',
] as const;
export type Trap = (typeof TRAPS)[number];

/** Targets of a workspace's traps. */
export interface Places {
  folder: string;
  /** A folder beside it with private files: `secret`, `c.yaml`. */
  private: string;
  /** A file that the command of a trap would create. */
  mark: string;
}

const SETTINGS = (mark: string): [string, string][] => [
  ['core.fsmonitor', `touch ${mark}`],
  ['core.hooksPath', '.'],
  ['core.sshCommand', `touch ${mark}; false`],
  ['core.pager', `touch ${mark}`],
  ['credential.helper', `!touch ${mark}`],
  ['diff.external', `touch ${mark}`],
  ['filter.x.clean', `touch ${mark}; cat`],
  ['filter.x.smudge', `touch ${mark}; cat`],
  ['diff.x.textconv', `touch ${mark}`],
  ['remote.origin.url', '/nothing'],
  ['remote.origin.promisor', 'true'],
  ['remote.origin.uploadpack', `touch ${mark}; false`],
  ['uploadpack.packObjectsHook', `touch ${mark}`],
  ['extensions.partialClone', 'origin'],
  ['core.repositoryformatversion', '1'],
];

/**
 * Creates a working definition with its application, and the traps around them. @param main the file of the definition
 */
export function makeWorkspace({ folder, private: secret, mark }: Places, traps: readonly Trap[], main = 'shop.yaml'): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const link = (path: string, to: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (!existsSync(join(folder, path))) symlinkSync(to, join(folder, path));
  };
  put('app/server.js', '1\n');
  const include = traps.includes('link-include') ? 'include: [parts/c.yaml]\n' : '';
  const branch = traps.includes('branch') ? '{{ git.branch }}' : 'main';
  const contents = traps.includes('references')
    ? '  - { name: nginx, config: { page: { content-of: d/secret } } }\n  - { name: redis, config: { password: { file: d/secret } } }\n'
    : '';
  if (main !== 'shop.yaml') put(main, definitionIn(main, secret, traps.includes('imports')));
  put(
    'shop.yaml',
    `${include}infra: shop\nservers:\n  - { name: web-1, provider: demo, plan: small }\ntaskservs:\n  - name: app\n    config:\n      name: shop\n      source: { directory: ./app }\n      env: { BRANCH: "${branch}" }\n      processes: { web: { command: node server.js } }\n${contents}`,
  );
  const repository = (at: string, isBare: boolean) => {
    mkdirSync(join(folder, at), { recursive: true });
    execFileSync('git', ['init', '-q', ...(isBare ? ['--bare'] : []), join(folder, at)]);
    const own = isBare ? join(folder, at) : join(folder, at, '.git');
    const git = (...args: string[]) => spawnSync('git', [`--git-dir=${own}`, `--work-tree=${join(folder, at)}`, ...args]);
    const hash = execFileSync('git', ['hash-object', '--stdin'], { input: 'missing\n', encoding: 'utf8' }).trim();
    git('update-index', '--add', '--cacheinfo', `100644,${hash},.gitignore`);
    git('update-index', '--skip-worktree', '.gitignore');
    if (isBare) execFileSync('git', ['config', '-f', join(own, 'config'), 'core.worktree', '.']);
    execFileSync('git', ['config', '-f', join(own, 'config'), 'core.bare', 'false']);
    for (const [name, value] of SETTINGS(mark)) execFileSync('git', ['config', '-f', join(own, 'config'), name, value]);
    mkdirSync(join(own, 'hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'pre-commit', 'reference-transaction'])
      writeFileSync(join(own, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    return own;
  };
  const makers: Record<Trap, () => void> = {
    embedded: () => void repository('app', true),
    'dot-git': () => void repository('.', false),
    alternates: () => writeFileSync(join(repository('app/nested', false), 'objects/info/alternates'), `${secret}\n`),
    'link-file': () => link('app/passwords', join(secret, 'secret')),
    'link-folder': () => link('app/d', secret),
    'link-over-link': () => {
      link('app/a/b/l', '../..');
      link('app/mark', 'a/b/l/../../private/secret');
    },
    'link-include': () => link('parts', secret),
    'link-environment': () => link('shop.prod.yaml', join(secret, 'c.yaml')),
    'link-ignore': () => link('app/.gitignore', join(secret, 'secret')),
    names: () => {
      for (const name of ['-rf', '--checkpoint=1', 'new\nline', '\u001b[31mred', '$(touch x)', `${'l'.repeat(250)}`, ' ', '*?['])
        put(`app/${name}`, 'x');
    },
    deep: () => put(`app/${'d/'.repeat(250)}x`, 'x'),
    wide: () => {
      for (let index = 0; index < 2_000; index += 1) put(`app/wide/${index}`, '');
    },
    fifo: () => void spawnSync('mkfifo', [join(folder, 'app/pipe')]),
    socket: () => {
      // A separate process binds the socket, so that the file remains after its end.
      const code = `require('net').createServer().listen('sock', () => process.kill(process.pid, 'SIGKILL'))`;
      spawnSync(process.execPath, ['-e', code], { cwd: join(folder, 'app') });
    },
    branch: () => {
      if (!existsSync(join(folder, '.git'))) put('.git', `gitdir: ${secret}\n`);
    },
    'link-parts': () => {
      // Folders that commands read automatically.
      for (const name of ['clusters', 'rules', 'topologies', 'environments', 'taskservs', 'batches']) link(name, secret);
    },
    'link-marks': () => {
      for (const name of ['provisioning.yaml', '.sops.yaml', 'shop.lock', 'provisioning.lock', 'app/package.json', 'common.yaml'])
        link(name, join(secret, 'c.yaml'));
    },
    bytes: () => {
      const at = (name: Buffer) => Buffer.concat([Buffer.from(`${folder}/app/`), name]);
      for (const name of ['ff', 'c328', 'eda080', 'f09f', '1b5d303b'].map((hex) => Buffer.from(hex, 'hex')))
        writeFileSync(at(name), 'x');
    },
    repositories: () => {
      // One repository of each kind, nested.
      repository('app/lib', true);
      repository('app/lib/own', false);
      put('app/module/.git', `gitdir: ${secret}\n`);
      link('app/linked/.git', secret);
    },
    references: () => link('d', secret),
    // The imports of a program are written with the definition.
    imports: () => {},
    'link-parent': () => link('infra', secret),
    attributes: () => put('app/.gitattributes', '* filter=x diff=x export-subst\n'),
  };
  for (const trap of traps) makers[trap]();
}

/** Returns the same definition in another language. @param isHostile adds a path to a file outside the workspace */
function definitionIn(main: string, secret: string, isHostile: boolean): string {
  const file = join(secret, 'secret');
  const texts: Record<string, string> = {
    '.toml': 'infra = "shop"\n[[servers]]\nname = "web-1"\nprovider = "demo"\nplan = "small"\n',
    '.json': '{ "infra": "shop", "servers": [{ "name": "web-1", "provider": "demo", "plan": "small" }] }\n',
    '.ts': `${isHostile ? `import text from '${file}';\n` : 'const text = "shop";\n'}export default { infra: 'shop', title: text, servers: [{ name: 'web-1', provider: 'demo', plan: 'small' }] };\n`,
    '.k': `import provisioning\nshop = provisioning.Infra {\n    infra = "shop"\n    servers = [{ name = "web-1", provider = "demo", plan = "small" }]\n}\n`,
    '.ncl': `{ infra = "shop", servers = [{ name = "web-1", provider = "demo", plan = "small" }] }\n`,
  };
  return texts[extname(main)] ?? '';
}
