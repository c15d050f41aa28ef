/** `npm run keys`: writes docs/reference/settings.md, the reference of all settings, and prints their number. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { REGISTRY } from '../settings/registry/keys.js';
import { isServiceField, type Key, variablesOf } from '../settings/registry/registry.js';
import { typeText } from '../settings/registry/value-types.js';

const all = [...REGISTRY.keys.values()];
const product = all.filter((key) => !isServiceField(key));
const services = all.filter(isServiceField);

/** Returns the number of settings, in words. */
export const keyCounts = (): string => `${product.length} settings of the product, ${services.length} fields of taskservs`;

/** Returns the text of docs/reference/settings.md. */
export const settingsReference = (): string =>
  `${[
    '# All settings',
    'Written by `npm run keys` from the registry of settings (`settings/registry/keys.ts`); do not edit. `provisioning config keys` says the same. [How settings work](../use/configuration.md).',
    `${keyCounts()}. Each of the first has a test in which another value changes something that can be seen (\`settings/registry/keys.test.ts\`).`,
    '## Settings of the product',
    'Those of scope `engine` are said by the settings of the home and by variables, never by the folder of a workspace.',
    ...groupsOf(product).map(([group, keys]) => `### ${group}\n\n${table(keys)}`),
    '## Fields of taskservs',
    'Written from the schemas of taskservs; all of scope `client`. What a layer says of one is laid under the configuration of a definition: what the definition says itself goes before it. Lists and maps are written as JSON on the command line and in variables.',
    ...groupsOf(services).map(([group, keys]) => `### ${group}\n\n${table(keys)}`),
  ].join('\n\n')}\n`;

/** Groups settings by the first part of their names. Settings of taskservs are grouped by taskserv. */
function groupsOf(keys: readonly Key[]): [string, Key[]][] {
  const groups = new Map<string, Key[]>();
  for (const key of keys) {
    const parts = key.name.split('.');
    const group = parts.slice(0, isServiceField(key) ? 2 : 1).join('.');
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

const table = (keys: readonly Key[]): string =>
  ['| key | type | default | scope | what it is |', '| --- | --- | --- | --- | --- |', ...keys.map(rowOf)].join('\n');

function rowOf(key: Key): string {
  const { name, type, unit, default: value, otherwise = '', scope, description } = key;
  const shown = value === undefined ? cell(otherwise) : `\`${cell(JSON.stringify(value))}\``;
  const variables = variablesOf(key).map((variable) => `\`${variable}\``);
  const said = isServiceField(key) ? '' : ` ${variables.join(', ')}`;
  return `| \`${name}\` | ${cell(typeText(type))}${unit ? `, ${unit}` : ''} | ${shown} | ${scope} | ${cell(description)}${said} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(fileURLToPath(new URL('../docs/reference/settings.md', import.meta.url)), settingsReference());
  process.stdout.write(`${keyCounts()}\n`);
}
