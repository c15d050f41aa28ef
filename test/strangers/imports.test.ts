import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observe } from './observe.js';

const SECRET = 'canary-of-the-operator';
const WORKS = `export default { infra: 'shop' };`;
const OUTSIDE = /is outside of /;

/** A path to a file outside the workspace: files and links beside the program, and the result of reading it. */
interface Member {
  text: string;
  files?: Record<string, string>;
  links?: Record<string, string>;
  said: RegExp;
}

/** @param to a folder outside the workspace, and its parent folder */
function membersFor(to: string, top: string): Record<string, Member> {
  const name = (path: string) => `import it from '${path}';\nexport default { infra: it };`;
  // The program is in ws/infra/NAME.
  const up = '../../../private';
  const members: Record<string, Member> = {
    'a folder': { text: name(to), said: OUTSIDE },
    'a folder above': { text: name('../../..'), said: OUTSIDE },
    'a name that begins as the workspace does': { text: name(`${top}/ws-2/secret.ts`), said: OUTSIDE },
    'a URL': { text: name(`file://${to}/secret.ts`), said: /is no file of the workspace/ },
    'a link to a file': { text: name('./l.ts'), links: { 'l.ts': `${to}/secret.ts` }, said: OUTSIDE },
    'a link over a link': {
      text: name('./d/l.ts'),
      links: { d: 'e', 'e/l.ts': `${up}/../private/secret.ts` },
      said: /l.ts" (is outside of|to import)/,
    },
    'a folder that is a link': { text: name('./d/secret.js'), links: { d: to }, said: OUTSIDE },
    'a folder that is a link, by its index': { text: name('./d'), links: { d: `${to}/package` }, said: OUTSIDE },
    'an import of an import': {
      text: name('./a.js'),
      files: { 'a.ts': `export { default } from '${to}/secret.js';` },
      said: /a.ts:1:25: .* is outside of /,
    },
    'a package that is a link': {
      text: name('package'),
      links: { 'node_modules/package': `${to}/package` },
      said: /is no file of the workspace/,
    },
    'a package by its path': {
      text: name('./node_modules/package'),
      links: { 'node_modules/package': `${to}/package` },
      said: OUTSIDE,
    },
    'main of a package.json': {
      text: name('./p'),
      files: { 'p/package.json': JSON.stringify({ main: `${up}/../private/secret.ts` }) },
      said: /there is no ".\/p" to import/,
    },
    'imports and exports of a package.json': {
      text: name('#secret'),
      files: {
        'package.json': JSON.stringify({ name: 'own', imports: { '#secret': `${up}/secret.ts` }, exports: `${up}/secret.ts` }),
      },
      said: /is no file of the workspace/,
    },
    'a package.json that is a link': { text: WORKS, links: { 'package.json': `${to}/secret.json` }, said: /shop/ },
    'a tsconfig.json with paths': {
      text: name('secret'),
      files: { 'tsconfig.json': JSON.stringify({ compilerOptions: { baseUrl: to, paths: { secret: ['./secret.ts'] } } }) },
      said: /is no file of the workspace/,
    },
    'a tsconfig.json that extends another': {
      text: WORKS,
      files: { 'tsconfig.json': JSON.stringify({ extends: `${to}/tsconfig.json` }) },
      said: /shop/,
    },
    'a tsconfig.json that is a link': { text: WORKS, links: { 'tsconfig.json': `${to}/tsconfig.json` }, said: /shop/ },
    'a manifest of Yarn': {
      text: name('secret'),
      links: { '.pnp.cjs': `${to}/secret.ts`, '.pnp.data.json': `${to}/secret.json` },
      said: /is no file/,
    },
    'a reference': {
      text: `/// <reference path="${to}/secret.ts" />\n/// <reference types="${to}/secret" />\n${WORKS}`,
      said: /shop/,
    },
    'a source map': { text: `${WORKS}\n//# sourceMappingURL=${to}/out.map`, said: /shop/ },
    'a source map of an import': {
      text: `import './a.js';\n${WORKS}`,
      files: { 'a.js': `0;\n//# sourceMappingURL=../../../private/out.map` },
      said: /shop/,
    },
    'a source map in a style sheet': {
      text: `import './a.css';\n${WORKS}`,
      files: { 'a.css': `@import "${to}/a.css"; a { b: url(${to}/secret.png) }` },
      said: /is not a program, JSON or text/,
    },
    'JSX of another package': {
      text: `/** @jsxRuntime automatic @jsxImportSource ${to}/package */\nexport default <a />;`,
      said: /./,
    },
    'import()': { text: `export default () => import('${to}/secret.ts');`, said: /is a promise/ },
    'import() of a name that is put together': {
      text: `const a = (x: string) => import('${up}/' + x + '.ts');\nexport default { infra: 'shop', title: String(a) };`,
      said: /shop/,
    },
    'import() of a template': {
      text: `const a = (x: string) => import(\`${up}/\${x}\`, { with: { type: 'text' } });\nexport default { infra: 'shop', title: String(a) };`,
      said: /shop/,
    },
    require: { text: `export default { infra: require('${to}/secret.ts') };`, said: /it imports by "require"/ },
    'import = require': {
      text: `import it = require('${to}/secret.ts');\nexport default { infra: it };`,
      said: /it imports by "require"/,
    },
    'require of a name that is put together': {
      text: `export default ({ env }) => require('${up}/' + env);`,
      said: /'require' is not defined/,
    },
    'require of a template, spelled otherwise': {
      text: `export default ({ env }) => r\\u0065quire(\`${up}/\${env}.ts\`);`,
      said: /'require' is not defined/,
    },
    'require.resolve': { text: `export default { infra: require.resolve('${to}/secret.ts') };`, said: /require/ },
    'import() that a parser may take for a part of another expression': {
      text: `const [a, b] = [1, 2];\nexport default { infra: String((a < b) > /import(\`${up}\\/$\{b}\`)/) };`.replaceAll(
        '\\/',
        '/',
      ),
      said: /./,
    },
    'new URL': { text: `export const a = () => new URL('${up}/secret.ts', import.meta.url);\n${WORKS}`, said: /shop/ },
  };
  // The same file in each form that a program can use.
  for (const [form, path] of Object.entries({ 'an absolute path': `${to}/secret`, 'a path with ..': `${up}/secret` }))
    for (const ending of ['.ts', '.js', '.json', '.txt', '.css', ''])
      members[`${form}${ending}`] = { text: name(path + ending), said: OUTSIDE };
  for (const type of ['json', 'text', 'bytes'])
    members[`an import as ${type}`] = {
      text: `import it from '${to}/secret.${type}' with { type: '${type}' };\nexport default { infra: it };`,
      said: OUTSIDE,
    };
  for (const from of ['export * from', 'export * as it from', 'import * as it from', 'import'])
    members[`by "${from}"`] = {
      text: `${from} '${to}/secret.ts';\n${from.startsWith('import *') ? 'export const own = it;\n' : ''}${WORKS}`,
      said: OUTSIDE,
    };
  return members;
}

const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

let top: string;
beforeAll(async () => {
  top = realpathSync(await mkdtemp(join(tmpdir(), 'imports-')));
});
afterAll(() => rm(top, { recursive: true }));

test('a definition in TypeScript has no file opened outside of its workspace, by any of the ways, and its own are read', async () => {
  const secret = join(top, 'private');
  for (const file of [
    'secret.ts',
    'secret.js',
    'secret.txt',
    'secret',
    'package/index.ts',
    'a.css',
    'secret.png',
    'secret.bytes',
    'secret.text',
  ])
    put(join(secret, file), `export default '${SECRET}';`);
  for (const file of ['secret.json', 'tsconfig.json', 'package/package.json', 'out.map', '../tsconfig.json', '../package.json'])
    put(
      join(secret, file),
      JSON.stringify({ main: SECRET, extends: './secret.json', version: 3, sources: [SECRET], mappings: 'AAAA' }),
    );
  put(join(top, 'ws-2/secret.ts'), `export default '${SECRET}';`);
  put(join(top, 'ws/provisioning.yaml'), '');
  const members = Object.values(membersFor(secret, top));
  const titles = Object.keys(membersFor(secret, top));
  const files = members.map(({ text, files = {}, links = {} }, index) => {
    const folder = join(top, 'ws/infra', String(index));
    for (const [path, content] of Object.entries(files)) put(join(folder, path), content);
    for (const [path, to] of Object.entries(links)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      symlinkSync(to, join(folder, path));
    }
    const file = join(folder, text.includes('<a />') ? 'main.tsx' : 'main.ts');
    put(file, text);
    return file;
  });
  const twin = join(top, 'ws/infra/twin/main.ts');
  put(twin, TWIN(top));
  for (const [path, text] of Object.entries(OF_THE_TWIN)) put(join(top, 'ws', path), text);
  symlinkSync('../../lib', join(top, 'ws/infra/twin/linked'));
  const program = ['--import', 'tsx', join(import.meta.dirname, 'read-all.ts')];
  const seen = await observe(
    [process.execPath, ...program, ...files, twin],
    resolve(import.meta.dirname, '../..'),
    process.env,
    top,
  );
  const answers = JSON.parse(seen.output) as Record<string, unknown>;
  const isInside = (path: string) => `${path}/`.startsWith(join(top, 'ws/'));
  expect(seen.opened.filter((path) => path.startsWith(`${top}/`) && !isInside(path))).toEqual([]);
  expect(seen.opened).toContain(join(top, 'ws/lib/named.ts'));
  const text = (file: string) => (typeof answers[file] === 'string' ? answers[file] : JSON.stringify(answers[file]));
  const wrong = files.flatMap((file, index) =>
    members[index]?.said.test(String(text(file))) ? [] : [[titles[index], text(file)]],
  );
  expect(wrong).toEqual([]);
  expect(seen.output).not.toContain(SECRET);
  expect(answers[twin]).toEqual({ infra: 'named-index-tsx-mjs-json-text-as-absolute-linked' });
}, 120_000);

const OF_THE_TWIN = {
  'lib/named.ts': `export const named: string = 'named';`,
  'lib/folder/index.ts': `export default 'index';`,
  'lib/tsx.tsx': `export default 'tsx';`,
  'lib/mjs.mts': `export default 'mjs';`,
  'lib/data.json': `{ "it": "json" }`,
  'lib/text.txt': 'text',
  'lib/text.md': 'as',
  'lib/absolute.ts': `export default 'absolute';`,
  'lib/linked.ts': `export { it } from './folder/more.js';`,
  'lib/folder/more.ts': `export const it = 'linked';`,
};
const TWIN = (top: string) => `import { defineInfra } from 'provisioning/sdk';
import { named } from '../../lib/named.js';
import index from '../../lib/folder';
import tsx from '../../lib/tsx';
import mjs from '../../lib/mjs.mjs';
import data from '../../lib/data.json' with { type: 'json' };
import text from '../../lib/text.txt';
import as from '../../lib/text.md' with { type: 'text' };
import absolute from '${top}/ws/lib/absolute.ts';
import { it } from './linked/linked.js';
export default defineInfra({ infra: [named, index, tsx, mjs, data.it, text, as, absolute, it].join('-') });
`;
