import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BadInput } from './run-row.js';

const WHOLE = `import { defineTaskserv } from 'provisioning/sdk';
import * as z from 'zod';
export default defineTaskserv({
  name: 'own', category: 'system', description: 'A test.',
  versions: { default: '1', supported: ['1'], source: 'debian' },
  config: z.strictObject({}),
  endpoints: () => [],
  facts: () => ({}),
  installed: () => undefined,
  plan: () => [],
  health: () => [],
  remove: () => [],
});
`;

/** A taskserv of the user, in the user's home. */
const own = (title: string, text: string, place: string, says: RegExp, more: Partial<BadInput> = {}): BadInput => ({
  title: `a taskserv of one's own ${title}`,
  files: { 'infra.yaml': 'infra: shop\nprovider: demo\nservers: [{ name: web }]\ntaskservs: [own]\n' },
  async prepare(folder) {
    await mkdir(join(folder, 'home/taskservs'));
    await writeFile(join(folder, 'home/taskservs/own.ts'), text);
    await symlink('/etc/hosts', join(folder, 'home/taskservs/link.json'));
  },
  exit: 2,
  place: `home/taskservs/own.ts:${place}`,
  says,
  ...more,
});

/** Invalid taskservs of a workspace or a user. */
export const MODULES: readonly BadInput[] = [
  own('that never ends', `for (;;) {}\n${WHOLE}`, '1:1', /it exceeds 1 s of processor time/),
  own(
    'that takes all memory',
    `const all = [];\nfor (;;) all.push(new Uint8Array(8 << 20));\n${WHOLE}`,
    '1:1',
    /more than 64 MiB of memory/,
  ),
  own('that cannot be read', WHOLE.replace('z.strictObject({})', 'z.strictObject({'), '6:27', /Expected identifier but found ","/),
  own('that throws', `throw new Error('no luck');\n${WHOLE}`, '1:1', /Error: no luck/),
  own('that is none', 'export default {};\n', '1:1', /it exports no taskserv/),
  own('of another name', WHOLE.replace("'own'", "'other'"), '1:1', /it defines the taskserv "other", and its name is "own"/),
  own(
    "that asks for Node's own modules",
    `import 'node:child_process';\n${WHOLE}`,
    '1:8',
    /"node:child_process" is no file of the workspace/,
  ),
  own('that imports a link to outside', `import './link.json';\n${WHOLE}`, '1:8', /"\.\/link\.json" is outside of home/),
  own('that describes itself by no text', WHOLE.replace("'A test.'", '5'), '1:1', /not of the type that is asked for: description/),
];
