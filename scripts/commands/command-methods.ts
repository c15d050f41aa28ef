/**
 * `npm run command-methods`: writes docs/reference/commands-and-methods.md, which lists the methods that each command
 * calls, from the sources of the commands.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { METHOD_NAMES } from '../../app/method-names.generated.js';
import { HERE_ONLY } from '../../cli/program/needs-this-machine.js';
import { WITHOUT_WORKER } from '../../client/without-worker.js';
import { commandModules, declarationReader, type Read } from './declarations.js';

/** Accesses to the state of the platform other than methods, by path. */
const WAYS = {
  'engine program': /^client\/engine-program\/run-engine\.ts#runEngine$/,
  'server program': /^client\/engine-program\/run-server\.ts#runServer$/,
  stores: /^stores\/(open-|files\/)/,
  keys: /^(encryption\/(keys|encryption-status|recovery-copy)\.ts|members\/keys\/)/,
  members: /^members\/(?!keys\/)/,
  'web UI': /^temporal-ui\//,
  vendors: /^upstream\/(upstream-versions|newer-versions)\.ts/,
} as const satisfies Record<string, RegExp>;
export type Way = keyof typeof WAYS;

/** Method of commands that log in to hosts. They must not open a store for it: that would bypass the method. */
const LOGIN = 'servers.signLogin';

/** Functions that query the worker for secrets. They open the home's own store only if no worker answers. */
const WITHOUT = /^client\/ask-(platform\.ts#askPlatform|secrets\.ts#askSecrets)$/;

/** Reasons why commands that call methods use another access too. */
const WAY_REASONS: Partial<Record<Way, string>> = {
  'engine program': '`backup verify` with the keys of a person runs it with them.',
  keys: '`backup verify --key` and `--recovery` read the files of a person, which no worker gets.',
  stores: 'The web UI decrypts payloads that lie in the store.',
  'web UI': 'It decrypts histories in its own process, behind a session in one browser. No method returns plain histories.',
};

/** Methods and other accesses of a command, read from its sources. */
export interface Reached {
  command: string;
  methods: string[];
  ways: Way[];
  /** Whether it opens the secrets of the home directly, but only if no worker answers. */
  without: boolean;
}

/** Reasons why commands without methods access the platform in another way, by their names or by their group. */
const REASONS: Readonly<Record<string, string>> = {
  'backup restore': 'It fills a home that has no engine yet.',
  down: 'It stops the worker that answers methods.',
  key: 'It moves encryption keys between files. No method returns a key.',
  member: 'It hands over or receives all keys of a platform. No method returns a key.',
  serve: 'It starts the server that answers methods.',
  status: 'It also reports an engine that does not answer.',
  'store migrate': 'It stops the worker that answers methods.',
  up: 'It starts the worker that answers methods.',
  'version check': 'It queries vendors. The answers are not state of the platform.',
};

/**
 * Maximum counts. They only fall, except for a new command that starts or stops the process that answers methods. The
 * goal is 12 exceptions.
 */
export const HELD = { exceptions: 13, besides: 2 };

/** Returns the accesses of each command, without aliases. */
export function reachedByCommands(): Reached[] {
  const read = declarationReader();
  const seen = new Set<string>();
  return commandModules().flatMap(({ name, path }) => {
    if (seen.has(path)) return [];
    seen.add(path);
    return [{ command: name, ...reachedFrom(`${path}#command`, read) }];
  });
}

/** Rooms whose functions run in the process of the command. */
const HERE = /^(cli|authoring|members|upstream|secrets|settings)\//;

function reachedFrom(start: string, read: Read): Omit<Reached, 'command'> {
  const methods = new Set<string>();
  const ways = new Set<Way>();
  let without = false;
  const known = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [file = '', name = ''] = at.split('#');
    const passed = (Object.keys(WAYS) as Way[]).filter((way) => WAYS[way].test(at));
    for (const way of passed) ways.add(way);
    without ||= WITHOUT.test(at);
    if (!HERE.test(file)) continue;
    const declared = read(file).get(name);
    if (!declared) continue;
    for (const method of declared.methods) methods.add(method);
    for (const target of declared.names) {
      if (known.has(target)) continue;
      known.add(target);
      open.push(target);
    }
  }
  return { methods: [...methods].sort(), ways: [...ways].sort(), without };
}

/** Returns commands without a method that work on local files or access the platform in another way. */
export const exceptionsIn = (all: readonly Reached[]): Reached[] =>
  all.filter(({ methods, ways }) => methods.length === 0 && ways.length > 0);

/** Returns the commands that call methods and also access the platform in another way. */
export const besidesIn = (all: readonly Reached[]): Reached[] =>
  all.filter(({ methods, ways }) => methods.length > 0 && ways.length > 0);

/** Returns the commands that log in to hosts. The worker signs for them. */
export const loginsIn = (all: readonly Reached[]): Reached[] => all.filter(({ methods }) => methods.includes(LOGIN));

/** Returns the key of the reason for a command. */
export const reasonKeyOf = (command: string): string | undefined =>
  [command, command.split(' ')[0] ?? ''].find((key) => Object.hasOwn(REASONS, key));

export const REASON_KEYS: readonly string[] = Object.keys(REASONS);

/** Returns the other accesses of commands that call methods, without duplicates. */
export const besideWaysIn = (all: readonly Reached[]): Way[] => [...new Set(besidesIn(all).flatMap(({ ways }) => ways))].sort();

export const hasWayReason = (way: Way): boolean => WAY_REASONS[way] !== undefined;
export const WAYS_WITH_REASON: readonly Way[] = Object.keys(WAY_REASONS) as Way[];

/** Returns the text of docs/reference/commands-and-methods.md. */
export function commandMethods(): string {
  const all = reachedByCommands();
  const calling = all.filter(({ methods }) => methods.length > 0);
  const exceptions = exceptionsIn(all);
  const local = all.filter(({ methods, ways }) => methods.length === 0 && ways.length === 0);
  const called = new Set(all.flatMap(({ methods }) => methods));
  const uncalled = Object.keys(METHOD_NAMES).filter((name) => !called.has(name));
  return `${[
    '# Commands and methods',
    'Written by `npm run command-methods` from the sources of the commands; do not edit. It lists the [methods](methods.md) that each [command](cli.md) can call. Aliases are left out.',
    [
      `- Commands that call methods: ${calling.length}`,
      `- Commands that only use local files: ${local.length}`,
      `- Exceptions, which reach the platform only in another way: ${exceptions.length}`,
      `- Commands that call methods and also reach the platform in another way: ${besidesIn(all).length}`,
      `- Commands that log in to hosts with a signature of the worker, without a private key: ${loginsIn(all).length}`,
      `- Commands that open the secrets of their home only if no worker answers: ${all.filter(({ without }) => without).length}`,
    ].join('\n'),
    'Only the worker opens stores. The column *without a worker* marks commands that ask the worker for secrets. In the cases of [the list below](#without-a-worker) they open the secrets themselves.',
    '## Commands that call methods',
    table(
      ['command', 'methods', 'other ways', 'without a worker'],
      calling.map(({ command, methods, ways, without }) => [
        code(command),
        methods.map(code).join(', '),
        ways.join(', '),
        without ? 'own secrets' : '',
      ]),
    ),
    '## Other ways of commands that call methods',
    table(
      ['way', 'commands', 'reason'],
      besideWaysIn(all).map((way) => [
        way,
        calling
          .filter(({ ways }) => ways.includes(way))
          .map(({ command }) => code(command))
          .join(', '),
        WAY_REASONS[way] ?? '',
      ]),
    ),
    '## Without a worker',
    table(['case', 'reason'], Object.entries(WITHOUT_WORKER)),
    '## Commands that only use local files',
    local.map(({ command }) => `- ${code(command)}`).join('\n'),
    '## Exceptions',
    'These commands call no method, and reach the platform in another way.',
    table(
      ['command', 'way', 'reason'],
      exceptions.map(({ command, ways }) => [code(command), ways.join(', '), REASONS[reasonKeyOf(command) ?? ''] ?? '']),
    ),
    '## Commands of one machine',
    'These commands work on the engine or the home of this machine. While [a context](../use/server.md) is active, they fail with `needs-this-machine`. All others work through a server.',
    table(
      ['command', 'reason'],
      Object.entries(HERE_ONLY).map(([command, why]) => [code(command), `${why}.`]),
    ),
    '## Methods that no command calls',
    uncalled.map((name) => `- ${code(name)}`).join('\n'),
  ].join('\n\n')}\n`;
}

const code = (text: string): string => `\`${text}\``;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(fileURLToPath(new URL('../../docs/reference/commands-and-methods.md', import.meta.url)), commandMethods());
