/**
 * `npm run api-table`: writes docs/reference/api.md, which lists each method with its REST path, its client call, its
 * commands, its permission and the class of its records.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PREFIX } from '../../api/rest.js';
import { placeMethods, type Route } from '../../api/routes/route.js';
import { findClass } from '../../app/audit/class-of.js';
import { actionsOf } from '../../app/method.js';
import { METHODS } from '../../app/methods.generated.js';
import { reachedByCommands } from './command-methods.js';

/** Reasons why no command calls a method, by its name or its group. */
const NO_COMMAND: Readonly<Record<string, string>> = {
  'batches.follow': 'commands follow through `batches.state`',
  'batches.result': 'commands follow through `batches.state`',
  'costs.estimate': '`cost` works on a local definition',
  'definitions.validate': '`validate` works on local files',
  'infras.follow': 'for programs and pages that show changes',
  'plans.result': 'commands follow the preview',
  'serviceAccounts.get': '`service-account list` shows all accounts with their roles',
  schemas: '`schema` works on local files',
  settings: '`config` works on local files',
  taskservs: '`taskserv` works on the catalog of the command',
  templates: '`cluster` works on the catalog of the command',
  topologies: '`test topology` works on the catalog of the command',
  'workspaces.follow': 'for programs and pages that show changes',
  workspaces: '`workspace` works on local folders',
};

/** Maximum number of commands in a row. */
const SHOWN = 6;

export interface ApiRow {
  method: string;
  rest: string;
  client: string;
  commands: string[];
  /** Set if no command calls it. */
  why?: string | undefined;
  permission: string[];
  /** Classes of its audit records: one for each action. */
  audit: string[];
  /** Whether its answer has a version, or it checks `If-Match` against one. */
  version: 'ETag' | 'If-Match' | '';
}

/** Returns all methods, in the order of the table. */
export function apiRows(): ApiRow[] {
  const reached = reachedByCommands();
  return placeMethods(METHODS).map((route) => {
    const { name } = route.method;
    const commands = reached.filter(({ methods }) => methods.includes(name)).map(({ command }) => command);
    return {
      method: name,
      rest: `${route.verb} ${PREFIX}${route.path}`,
      client: describeCall(route),
      commands,
      ...(commands.length === 0 && { why: NO_COMMAND[name] ?? NO_COMMAND[name.split('.')[0] ?? ''] }),
      permission: [...actionsOf(route.method)],
      audit: [...new Set(actionsOf(route.method).map(findClass))],
      version: route.method.edits ? 'If-Match' : route.method.reads ? 'ETag' : '',
    };
  });
}

const describeCall = ({ method: { name, kind } }: Route): string =>
  kind === 'stream' ? `for await (… of ${name}(…))` : `await ${name}(…)`;

/** Returns the text of docs/reference/api.md. */
export function apiTable(): string {
  const rows = apiRows();
  return `${[
    '# The API by methods',
    'Written by `npm run api-table` from `app/methods` and the sources of the commands; do not edit. [The API server](../operate/api-server.md) serves the column *REST*; the same is in its OpenAPI document. [Methods](methods.md) describes each method, with its errors. [Commands and methods](commands-and-methods.md) lists all commands. Methods with `If-Match` in the column *version* [check the version](../operate/api-server.md#conditional-changes) that an answer with `ETag` there has. The column *audit* has the class that [the audit](../operate/audit.md) records a call under.',
    `- REST operations: ${new Set(rows.map(({ rest }) => rest)).size}`,
    table(
      ['method', 'REST', 'version', 'TypeScript client', 'commands', 'permission', 'audit'],
      rows.map(({ method, rest, version, client, commands, why, permission, audit }) => [
        code(method),
        code(rest),
        version === '' ? 'none' : code(version),
        code(client),
        commands.length > 0 ? listCommands(commands) : `none: ${why ?? ''}`,
        permission.map(code).join(', '),
        audit.join(', '),
      ]),
    ),
  ].join('\n\n')}\n`;
}

/** Lists the first commands; docs/reference/commands-and-methods.md has all. */
function listCommands(commands: readonly string[]): string {
  const rest = commands.length - SHOWN;
  return `${commands.slice(0, SHOWN).map(code).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const code = (text: string): string => `\`${text}\``;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(fileURLToPath(new URL('../../docs/reference/api.md', import.meta.url)), apiTable());
