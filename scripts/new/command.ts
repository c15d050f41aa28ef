import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import type { AnyMethod } from '../../app/method.js';
import { inputError } from '../../core/errors.js';
import { declaredMethods } from '../generate/methods.js';

/** JSON Schema of an input or an output, as far as a command needs it. */
interface Fields {
  type?: string;
  description?: string;
  enum?: string[];
  properties?: Record<string, Fields>;
  required?: string[];
}

/**
 * Creates a command and adds it to the list of commands. It calls a method, with the method's fields as arguments and
 * options, or prints a greeting.
 *
 * @param name `version`, or a group and a verb: `workflow tally`
 * @param method `operations.tally`
 * @throws ProvisioningError (input) `no-name`, `bad-name`, `exists`, `unknown-call` for a method that there is not
 */
export async function createCommand(root: string, name?: string, method?: string): Promise<string[]> {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: 'create the command', on: `"${name ?? ''}"`, why, hint });
  if (!name) throw refuse('no-name', 'it has no name', 'npm run new command NAME [METHOD]');
  if (!/^[a-z][a-z-]*( [a-z][a-z-]*)?$/.test(name)) {
    const why = 'a name is one word, or a group and a verb, of lower-case letters';
    throw refuse('bad-name', why, 'for example "workflow tally"');
  }
  const path = join(root, 'cli/commands', `${name.replace(' ', '/')}.ts`);
  if (existsSync(path)) throw refuse('exists', `${relative(root, path)} is there already`, 'take another name');
  const called = method === undefined ? undefined : await methodNamed(root, method);
  if (method !== undefined && !called)
    throw refuse('unknown-call', `there is no method "${method}"`, 'docs/reference/methods.md lists all');
  const list = join(root, 'cli/commands.ts');
  const listed = withEntry(readFileSync(list, 'utf8'), name, called?.summary ?? 'Say hello');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, called ? callerSource(name, called) : blankSource(name));
  writeFileSync(list, listed);
  return [path, list];
}

const methodNamed = async (root: string, name: string): Promise<AnyMethod | undefined> =>
  (await declaredMethods(root)).find(({ method }) => method.name === name)?.method;

/** Adds a command to the list: at the end of its group, or before the groups if it has no group. */
function withEntry(list: string, name: string, summary: string): string {
  const lines = list.split('\n');
  const [group = '', verb] = name.split(' ');
  const isBeside = (line: string) => line.startsWith(verb ? `  entry('${group} ` : "  entry('");
  const beside = lines.findLastIndex(isBeside);
  // An entry may span several lines.
  const end = lines.findIndex((line, index) => index >= beside && /\),$/.test(line));
  const entry = `  entry('${name}', '${summary.replaceAll("'", "\\'")}', () => import('./commands/${name.replace(' ', '/')}.js')),`;
  return [...lines.slice(0, end + 1), entry, ...lines.slice(end + 1)].join('\n');
}

function blankSource(name: string): string {
  const up = name.includes(' ') ? '../..' : '..';
  return `import { defineCommand } from '${up}/command.js';
import { writeDocument } from '${up}/render/document.js';

export const command = defineCommand({
  arguments: [['[name]', 'whom to greet']],
  details: 'Replace this by what somebody who has the summary still wants to know.',
  examples: ['${name} ann'],
  async run(session, { args: [name = 'you'] }) {
    if (session.json) writeDocument(session, { hello: name });
    else session.out.write(\`hello \${name}\\n\`);
    return 0;
  },
});
`;
}

function callerSource(name: string, { name: method, input, output }: AnyMethod): string {
  const up = name.includes(' ') ? '../..' : '..';
  const { properties = {}, required = [] } = fieldsOf(input);
  // The session knows the workspace.
  const fields = Object.keys(properties).filter((field) => field !== 'workspace');
  const args = fields.filter((field) => required.includes(field));
  const options = fields.filter((field) => !required.includes(field));
  const taken = args.map((field) => `['<${dashed(field)}>', '${aboutOf(field, properties[field])}'],`);
  const given = options.map((field) => optionOf(field, properties[field]));
  const passed = [...('workspace' in properties ? ['workspace: session.workspace'] : []), ...args, ...options];
  const destructured = [
    ...(args.length > 0 ? [`args: [${args.join(', ')}]`] : []),
    ...(options.length > 0 ? [`flags: { ${options.join(', ')} }`] : []),
  ];
  const example = [name, ...args.map((field) => field.toUpperCase())].join(' ');
  return `import { defineCommand } from '${up}/command.js';
import { writeDocument } from '${up}/render/document.js';

export const command = defineCommand({
  ${taken.length > 0 ? `arguments: [${taken.join(' ')}],` : ''}
  ${given.length > 0 ? `options: [${given.join(' ')}],` : ''}
  examples: ['${example}'],
  async run(session${destructured.length > 0 ? `, { ${destructured.join(', ')} }` : ''}) {
    const client = await session.client();
    ${linesOf(method, passed, fieldsOf(output))}
    return 0;
  },
});
`;
}

const fieldsOf = (schema: z.ZodType): Fields => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as Fields;
const dashed = (field: string): string => field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const aboutOf = (field: string, { description = field }: Fields = {}): string => description.replaceAll("'", "\\'");

function optionOf(field: string, schema: Fields = {}): string {
  const about = aboutOf(field, schema);
  if (schema.type === 'boolean') return `{ flags: '--${dashed(field)}', about: '${about}' },`;
  const flags = `--${dashed(field)} <${schema.type === 'integer' ? 'count' : dashed(field)}>`;
  const more = schema.type === 'integer' ? ', number: true' : schema.enum ? `, choices: ${JSON.stringify(schema.enum)}` : '';
  return `{ flags: '${flags}', about: '${about}'${more} },`;
}

/** Returns the code that calls the method and shows its answer. */
function linesOf(method: string, passed: string[], { type, properties }: Fields): string {
  const call = `await client.${method}({ ${passed.join(', ')} })`;
  if (type === undefined) return `${call};\nif (session.json) writeDocument(session, {});`;
  const shown = Object.entries(properties ?? {}).filter(([, { type = '' }]) =>
    ['string', 'integer', 'number', 'boolean'].includes(type),
  );
  const lines = shown.map(([field]) => `\`${field}: \${answer.${field}}\\n\``);
  const text = type === 'object' && lines.length > 0 ? lines.join(' + ') : '`${JSON.stringify(answer, null, 2)}\\n`';
  const document = type === 'object' ? 'answer' : `{ ${method.split('.')[0]}: answer }`;
  return `const answer = ${call};
    if (session.json) writeDocument(session, ${document});
    else session.out.write(${text});`;
}
