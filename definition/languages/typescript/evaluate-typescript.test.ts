import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadFiles } from '../../fixtures.js';
import { type Problem, problemText } from '../../source/problem.js';
import { readNamed } from '../read-named.js';

/** How long evaluating may take here: as long as its own limits allow. */
const SLOW = { timeout: 60_000 };

const problems = async (files: Record<string, string>, input = {}): Promise<string[]> =>
  (await loadFiles(files, input)).problems.map(problemText);

const SHOP = `import { defineInfra } from 'provisioning/sdk';
import { sizes } from './lib/sizes.js';
import extra from './extra.json';
import type { Unknown } from 'no-such-package';

export default defineInfra(({ env }) => ({
  infra: 'shop',
  servers: [1, 2].map((index) => ({ name: \`web-\${index}\`, plan: sizes[env ?? 'dev'] })),
  taskservs: [{ name: 'redis', version: 2, config: extra }],
}));
`;
const FILES = {
  'shop.ts': SHOP,
  'lib/sizes.ts': "export const sizes: Record<string, string> = { dev: 'small', prod: 'large' };",
  'extra.json': '{ "port": 6380 }',
  'environments/prod.yaml': 'vars: {}\n',
};

describe('a definition in TypeScript', SLOW, () => {
  test('says the same as one in YAML, and is told its environment', async () => {
    const yaml = (plan: string) =>
      `infra: shop\nservers: [{ name: web-1, plan: ${plan} }, { name: web-2, plan: ${plan} }]\ntaskservs: [{ name: redis, version: 2, config: { port: 6380 } }]\n`;
    const { definition, problems } = await loadFiles(FILES);
    expect(problems).toEqual([]);
    expect(definition).toEqual((await loadFiles({ 'shop.yaml': yaml('small') })).definition);
    const prod = await loadFiles(FILES, { environment: 'prod' });
    expect(prod.definition).toEqual((await loadFiles({ 'shop.yaml': yaml('large') })).definition);
  });

  test('has variables and expressions, overlays and includes as any other', async () => {
    const { definition, problems } = await loadFiles(
      {
        'shop.ts': `export default { include: ['common.toml'], vars: { size: 'small' }, infra: 'shop', servers: [{ name: 'web', plan: '{{ vars.size }}' }] };`,
        'shop.prod.yaml': 'servers: [{ name: web, count: 2 }]\n',
        'common.toml': 'protect = true\n',
      },
      { environment: 'prod', vars: ['size=large'] },
    );
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({ protect: true, servers: [{ name: 'web-1', plan: { name: 's4' } }, { name: 'web-2' }] });
  });

  test('its source is the file and all that it imports', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'typescript-texts-')));
    for (const [name, text] of Object.entries(FILES)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const source = await readNamed(join(folder, 'shop.ts'), '');
    const texts = 'texts' in source ? (source.texts ?? []) : [];
    expect(texts.map(({ file }) => file.replace(`${folder}/`, '')).sort()).toEqual(['extra.json', 'lib/sizes.ts', 'shop.ts']);
    expect(texts.map(({ text }) => text)).toContain(FILES['lib/sizes.ts']);
    await rm(folder, { recursive: true });
  });

  test('what its schema finds is told of with the place of the key', async () => {
    expect(
      await problems({ 'shop.ts': "export default {\n  infra: 'shop',\n  servers: [{ name: 'web',\n    plan: 'smal' }],\n};\n" }),
    ).toEqual(['shop.ts:4:11: servers[0].plan: the provider "local" has no plan "smal"; did you mean "small"?']);
  });

  test.each([
    ['no default export', 'export const infra = 1;', /^shop.ts:1:1: it has no default export; export default/],
    ['a promise', 'export default (async () => ({}))();', /a definition waits for nothing/],
    ['no TypeScript', 'export default {\n  infra: = 1,\n};', /^shop.ts:2:10: Unexpected "="/],
    ['what it throws', "import './lib.js';\nexport default {};", /^\S*lib.ts:2:13: it threw an error: no size for web$/],
    ['null thrown', 'throw null;', /^shop.ts:1:1: it threw an error: null$/],
    ['a number thrown', 'throw 7;', /^shop.ts:1:1: it threw an error: 7$/],
    [
      'an error of the language',
      'const a: any = {};\nexport default a.b.c;',
      /^shop.ts:2:18: it threw an error: TypeError: cannot read/,
    ],
    [
      'process',
      'export default { infra: process.env.HOME };',
      /^shop.ts:1:25: it threw an error: ReferenceError: 'process' is not defined; .*env.NAME/,
    ],
    [
      'files of Node',
      "import { readFileSync } from 'node:fs';\nexport default readFileSync('/etc/passwd', 'utf8');",
      /^shop.ts:1:30: "node:fs" is no file of the workspace; files of its workspace can be imported/,
    ],
    [
      'a file outside that is no program',
      "import '../../../../../../../../etc/passwd';\nexport default {};",
      /^shop.ts:1:8: "[./]*etc\/passwd" is outside of/,
    ],
    ['a package', "import 'yaml';\nexport default {};", /^shop.ts:1:8: "yaml" is no file of the workspace/],
    ['what is not there', "import { a } from './gone.js';\nexport default a;", /^shop.ts:1:19: there is no ".\/gone.js" to import/],
    ['a cycle in its data', 'const a: any = {}; a.a = a;\nexport default a;', /it threw an error: TypeError: circular reference/],
    ['__proto__', 'export default JSON.parse(\'{ "__proto__": {} }\');', /no key may be called "__proto__"/],
    ['an escape', 'export default { infra: "\\u001b[2J" };', /^shop.ts:1:25: infra: the character U\+001B/],
    ['a text', "export default 'shop';", /a definition is a map of keys/],
    [
      'a way to the outside',
      "export default (() => {}).constructor('return process')();",
      /it threw an error: ReferenceError: 'process' is not defined/,
    ],
    ['an import later', "export default import('node:fs');", /its default export is a promise: a definition waits for nothing/],
    ['require', "const a = require('./lib.js');\nexport default a;", /^shop.ts:1:11: it imports by "require"; import NAME from/],
    [
      'a path for require',
      "export default (name = './lib.js') => require(name);",
      /^shop.ts:1:39: .*'require' is not defined; a definition/,
    ],
    [
      'a type that is exported as a value',
      "export { Size } from './sizes.js';\nexport default {};",
      /^shop.ts:1:10: \S*sizes.ts has no export "Size"; import a type by "import type"/,
    ],
    [
      'a style sheet',
      "import './shop.css';\nexport default {};",
      /^shop.ts:1:8: "shop.css" is not a program, JSON or text; import a file/,
    ],
    ['a loop', 'for (;;) {}\nexport default {};', /^shop.ts:1:1: its evaluation takes more than 2 s of processor time/],
    [
      'one instruction of the engine that never ends',
      'export default [].indexOf.call({ length: 2 ** 53 - 1 }, 1);',
      /^shop.ts:1:1: its evaluation takes more than 2 s of processor time/,
    ],
    [
      'a wait',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\nexport default {};',
      /it threw an error: ReferenceError: '(Atomics|SharedArrayBuffer)' is not defined/,
    ],
    [
      '4 GB of buffers',
      'export default { infra: [1, 2, 3, 4].map(() => new Uint8Array(1e9).fill(1)) };',
      /more than 256 MiB of memory/,
    ],
    [
      '4 GB of objects',
      'const all: unknown[] = [];\nfor (;;) all.push(new Array(100_000).fill(1.5));\nexport default all;',
      /more than 256 MiB of memory/,
    ],
    ['8 MiB of data', "export default { infra: Array(9).fill('x'.repeat(1e6)) };", /more than 4 MiB|its result is larger/],
    [
      'hundreds of imports that are not there',
      `${Array.from({ length: 500 }, (_, index) => `import './gone-${index}.js';\n`).join('')}export default {};`,
      /^shop.ts:1:1: with its imports it has more than 64 files; join some of them$/,
    ],
    ['half a million brackets', `export default ${'('.repeat(500_000)}1${')'.repeat(500_000)};`, /takes more than/],
  ])('%s: one error that says where and why', async (_, text, says) => {
    const lib = "const size = () => {\n  throw new Error('no size for web\\nsecond line');\n};\nsize();\nexport {};";
    expect(await problems({ 'shop.ts': text, 'lib.ts': lib, 'shop.css': '', 'sizes.ts': FILES['lib/sizes.ts'] })).toEqual([
      expect.stringMatching(says),
    ]);
  });

  test('an import or a link that leaves the workspace is refused, and nothing is run', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outside-'));
    try {
      const put = async (name: string, text: string) => {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      };
      await put('ws/provisioning.yaml', 'name: ws\n');
      await put('secret.ts', "throw new Error('it ran');\nexport const a = 1;");
      await put('ws/infra/a.ts', "import { a } from '../../secret.js';\nexport default a;");
      await put('ws/infra/b.ts', "import { a } from '../link.js';\nexport default a;");
      await symlink('../secret.ts', join(folder, 'ws/link.ts'));
      await put('ws/lib.ts', "export const name = 'shop';");
      await put('ws/infra/c.ts', "import { name } from '../lib.js';\nexport default { infra: name };");
      const read = async (name: string) => {
        const found = await readNamed(join(folder, name), 'none');
        return Array.isArray(found) ? found.map((one: Problem) => one.message) : found.value;
      };
      expect(await read('ws/infra/a.ts')).toEqual([`"../../secret.js" is outside of ${folder}/ws`]);
      expect(await read('ws/infra/b.ts')).toEqual([`"../link.js" is outside of ${folder}/ws`]);
      expect(await read('ws/infra/c.ts')).toEqual({ infra: 'shop' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('nothing is run that another file leads to', async () => {
    const run = "throw new Error('it ran');";
    for (const name of ['more.ts', 'more.k', 'more.ncl'])
      expect(await problems({ 'shop.yaml': `include: [${name}]\ninfra: shop\nservers: [{ name: web }]\n`, [name]: run })).toEqual([
        expect.stringMatching(
          /^shop.yaml:1:11: include\[0\]: "more.\w+" cannot be read: a definition cannot include a program; include YAML, TOML or JSON/,
        ),
      ]);
    expect(
      await problems({ 'shop.yaml': 'infra: shop\nservers: [{ name: web }]\n', 'shop.prod.ts': run }, { environment: 'prod' }),
    ).toEqual([expect.stringContaining('there is no environment "prod"')]);
  });
});
