import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findKcl, findNickel } from '../support/languages.js';
import type { BadInput } from './run-row.js';

const [kcl, nickel] = [await findKcl(), await findNickel()];
for (const tool of [kcl, nickel]) if ('why' in tool) console.warn(tool.why);

/** A definition in a file with this extension. */
const program = (
  title: string,
  ending: string,
  text: string,
  place: string,
  says: RegExp,
  more: Partial<BadInput> = {},
): BadInput => ({
  title,
  files: { [`shop.${ending}`]: text },
  args: ['apply', `shop.${ending}`, '--yes'],
  exit: 2,
  place: `shop.${ending}:${place}`,
  says,
  ...more,
});
const server = (line: string) => `infra = "shop"\nservers = [{ name = "web", ${line} }]\n`;
/** Rows for a program, if this machine has it. */
const by = (tool: typeof kcl, rows: BadInput[]): BadInput[] =>
  'programs' in tool ? rows.map((row) => ({ ...row, env: environmentOf(tool) })) : [];
const environmentOf = ({ programs, folders }: { programs: string; folders: string[] }) => ({
  PATH: `${programs}:${process.env.PATH}`,
  PROVISIONING_LANGUAGES_FOLDERS: folders.join(','),
});

/** Invalid definitions in other languages than YAML and JSON. */
export const LANGUAGES: readonly BadInput[] = [
  program(
    'TypeScript that never ends',
    'ts',
    'for (;;) {}\nexport default {};\n',
    '1:1',
    /its evaluation takes more than 2 s of processor time/,
  ),
  program(
    'TypeScript that takes 4 GB',
    'ts',
    'const all: unknown[] = [];\nfor (let at = 0; at < 64; at++) all.push(new Uint8Array(64 * 1024 * 1024).fill(1));\nexport default { infra: "shop" };\n',
    '1:1',
    /its evaluation takes more than 256 MiB of memory/,
  ),
  program(
    'TypeScript whose texts take 4 GB',
    'ts',
    'let text = "x";\nconst all: string[] = [];\nfor (let at = 0; at < 4e9; at++) all.push(text += `${at}${text.slice(0, 1e5)}`);\nexport default { infra: text };\n',
    '',
    /its evaluation takes more than (256 MiB of memory|2 s of processor time)/,
  ),
  program('TypeScript that throws', 'ts', 'export default {};\nthrow new Error("no size");\n', '2:1', /it threw an error: no size/),
  program('TypeScript that imports from outside', 'ts', 'import "../../etc/passwd";\nexport default {};\n', '1:8', /outside of/),
  program(
    'TypeScript by a link to outside',
    'ts',
    'import secret from "./link.json";\nexport default secret;\n',
    '1:20',
    /outside of/,
    {
      prepare: async (folder) => {
        await writeFile(`${folder}-elsewhere.json`, '{}');
        await symlink(`${folder}-elsewhere.json`, join(folder, 'link.json'));
      },
      after: (folder) => rm(`${folder}-elsewhere.json`),
    },
  ),
  program(
    'TypeScript that reads files',
    'ts',
    'import "node:fs";\nexport default {};\n',
    '1:8',
    /"node:fs" is no file of the workspace/,
  ),
  program('KCL without its program', 'k', 'a = 1\n', '1:1', /the program "kcl" is missing on PATH/, {
    env: { PATH: '/nowhere' },
  }),
  program('Nickel without its program', 'ncl', '{}\n', '1:1', /the program "nickel" is missing on PATH/, {
    env: { PATH: '/nowhere' },
  }),
  program('TOML without an end', 'toml', 'infra = "shop\n', '1:', /[Uu]nterminated|quote|end/),
  program('a key twice in TOML', 'toml', 'infra = "a"\ninfra = "b"\n', '2:1', /multiple times/),
  program('__proto__ in TOML', 'toml', 'infra = "a"\n[__proto__]\nx = 1\n', '2:2', /no key may be called "__proto__"/),
  program('an unknown key in TOML', 'toml', server('colour = "red"'), '2:28', /unknown key "colour"/),
  {
    title: 'a program that a definition includes',
    files: { 'infra.yaml': 'include: [shop.ts]\ninfra: shop\n', 'shop.ts': 'export default {};\n' },
    exit: 2,
    place: 'infra.yaml:1:11',
    says: /a definition cannot include a program/,
  },
  ...by(kcl, [
    program(
      'a wrong type in KCL',
      'k',
      `import provisioning\nshop = provisioning.Infra {\n    infra = "shop"\n    servers = [{ name = "web", count = "two" }]\n}\n`,
      '4:',
      /expected int, got str/,
    ),
    program('KCL that is none', 'k', 'shop = {\n', '1:', /expected one of/),
    program('an unknown plan in KCL', 'k', server('plan = "smal"'), '2:', /no plan "smal"; did you mean "small"/),
  ]),
  ...by(nickel, [
    program(
      'a wrong type in Nickel',
      'ncl',
      'let { Infra, .. } = import "provisioning.ncl" in\n{\n  infra = "shop",\n  servers = [{ name = "web", count = "two" }],\n} | Infra\n',
      '4:',
      /contract broken by the value of `count`/,
    ),
    program('Nickel that is none', 'ncl', '{ infra = \n', '', /unexpected/i),
    program(
      'Nickel that never ends',
      'ncl',
      'let rec f = fun x => f (x + 1) in f 0\n',
      '1:1',
      /more than \d+ s of processor time|memory|recursion/,
    ),
  ]),
];
