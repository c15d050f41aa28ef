/**
 * `npm run method-reference`: writes docs/reference/methods.md, the list of all methods and permissions, from the
 * declarations of the methods.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { type AnyMethod, actionsOf, COMMON_ERRORS } from '../app/method.js';
import { METHODS } from '../app/methods.generated.js';

/** Returns the text of docs/reference/methods.md. */
export function methodReference(): string {
  const all: AnyMethod[] = Object.values(METHODS);
  const groups = [...new Set(all.map(({ name }) => name.split('.')[0] as string))];
  return `${[
    '# Methods',
    'Written by `npm run method-reference` from `app/methods`; do not edit. A program calls them on what `connect` answers: `platform.operations.cancel({ operation })`. [How to add one](../extend/add-a-method.md).',
    `Each may also fail with ${listed(COMMON_ERRORS)}; all codes are explained in [troubleshooting](../operate/troubleshooting.md).`,
    'A permission is an action on a resource. Actions that end in `:read` change nothing.',
    ...groups.flatMap((group) => [
      `## ${group}`,
      ...all.filter(({ name }) => name.startsWith(`${group}.`)).flatMap((method) => sectionOf(method)),
    ]),
  ].join('\n\n')}\n`;
}

function sectionOf(method: AnyMethod): string[] {
  const { name, kind, summary, input, permission, errors } = method;
  const resource = permission.resource(named([]));
  const actions = actionsOf(method)
    .map((action) => `\`${action}\``)
    .join(' or ');
  const rows = [
    `- takes ${fieldsOf(input)}`,
    `- permission ${actions} on ${resource.type} \`${resource.id}\``,
    ...(errors.length > 0 ? [`- fails with ${listed(errors)}`] : []),
  ];
  const form = kind === 'stream' ? ' Answers with events.' : 'pages' in method && method.pages ? ' Answers page by page.' : '';
  return [`### ${name}`, `${summary}.${form}`, rows.join('\n')];
}

function fieldsOf(input: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' });
  return listed(Object.keys(properties).map((field) => (required.includes(field) ? field : `${field}?`)));
}

/**
 * Returns an input whose fields are their own paths as text, such as `{workspace}`. It shows the parts of a resource.
 */
function named(path: string[]): never {
  const text = () => `{${path.join('.')}}`;
  const ofText = (key: string | symbol) => (String.prototype as unknown as Record<string | symbol, unknown>)[key];
  return new Proxy(
    Object.assign(() => {}, {}),
    {
      get(_, key) {
        if (key === Symbol.toPrimitive || key === 'toString') return text;
        const method = path.length > 0 ? ofText(key) : undefined;
        return typeof method === 'function' ? method.bind(text()) : named([...path, String(key)]);
      },
    },
  ) as never;
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(fileURLToPath(new URL('../docs/reference/methods.md', import.meta.url)), methodReference());
