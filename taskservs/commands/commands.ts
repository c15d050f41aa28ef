import * as z from 'zod';
import {
  absolutePath,
  defineTaskserv,
  duration,
  type Fact,
  fact,
  fingerprint,
  line,
  type Step,
  secret,
  sh,
  type Text,
} from '../../sdk/index.js';

/** Commands that ran, by name: each a hash of its declaration. */
const DONE = '/var/lib/provisioning-commands';

/** A name that no command has: that the taskserv is there, since commands with checks leave nothing else. */
const PRESENT = 'PRESENT';

const script = (most = 20_000) =>
  z
    .string()
    .min(1)
    .max(most, `at most ${most} characters`)
    .refine((text) => !text.includes('\0'), { error: 'a script cannot contain a NUL' });

const command = z.strictObject({
  run: script().describe('Command for bash, with `-euo pipefail`'),
  check: script(5_000)
    .optional()
    .describe('Check that succeeds within 15 s if there is nothing to do; without it, `run` runs once, and again after a change'),
  undo: script().optional().describe('Command that undoes it on a roll-back; without it the command cannot be undone'),
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: 'a user name has up to 32 lower-case letters, digits, ".", "-" and "_"' })
    .default('root')
    .describe('User of all three commands'),
  directory: absolutePath().optional().describe('Working folder; default: `/`'),
  timeout: duration('5 m').describe('Time limit of `run` and `undo`'),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: 'the name of a variable has letters, digits and _' }),
      z.union([line(4000), secret()]),
    )
    .refine((env) => !Object.keys(env).some((name) => /^(LD_|BASH_|ENV$|PATH$|IFS$|SHELLOPTS$)/.test(name)), {
      error: 'PATH, IFS, BASH_… and LD_… are not allowed: they change how commands run, also commands of root',
    })
    .default({})
    .describe('Variables of all three commands: texts and secrets'),
});

const config = z
  .strictObject({
    commands: z
      .record(
        z
          .string()
          .regex(/^[a-z][a-z0-9-]{0,47}$/, { error: 'the name of a command has up to 48 lower-case letters, digits and dashes' }),
        command,
      )
      .describe('Commands by name, in the order of execution'),
    after: z.array(z.string().max(80)).default([]).describe('Taskservs that run first, such as the one used here'),
  })
  .meta({
    examples: [
      {
        commands: {
          'swap-off': { run: 'swapoff -a', check: '[ -z "$(swapon --noheadings)" ]', undo: 'swapon -a' },
          migrate: {
            run: '/srv/shop/bin/migrate',
            check: '/srv/shop/bin/migrate --pending | grep -qx 0',
            user: 'shop',
            env: { DB_PASSWORD: { generate: 'password' } },
            timeout: '10 m',
          },
        },
      },
    ],
  });

type Config = z.output<typeof config>;
type Command = Config['commands'][string];

type CommandsFacts = {
  /** Commands without a check that ran. */
  done: Fact<Record<string, string>>;
  [check: `check ${string}`]: Fact<boolean>;
};

/** Secrets stay in the environment: what is run is an argument, which everybody on the host sees. */
function asUser({ user, directory = '/' }: Command, script: string, seconds: number): string {
  const shell = sh`timeout --kill-after=5 ${seconds} bash -euo pipefail -c ${script}`;
  return `cd ${sh`${directory}`} && ${user === 'root' ? shell : `${sh`runuser -u ${user} --`} ${shell}`}`;
}

const envOf = ({ env }: Command): Record<string, Text> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, typeof value === 'string' ? value : [value]]));

/** Hash of a command's declaration. The values of its secrets do not count. */
const hashOf = ({ run, undo, user, directory, env }: Command): string => fingerprint({ run, undo, user, directory, env });

const noteOf = (name: string): string => `${DONE}/${name}`;

function steps(name: string, command: Command, isDone: boolean, before: string | undefined): Step[] {
  if (isDone) return [];
  const { run, undo, check, timeout } = command;
  const env = Object.keys(command.env).length > 0 && { env: envOf(command) };
  const back = undo === undefined ? { irreversible: true as const } : { undo: asUser(command, undo, timeout) };
  const restored = before === undefined ? sh`rm -f -- ${noteOf(name)}` : sh`printf %s ${before} >${noteOf(name)}`;
  const note: Step[] =
    check === undefined
      ? [
          {
            title: `Note that ${name} has run`,
            run: sh`install -d -m 0700 ${DONE}
printf %s ${hashOf(command)} >${noteOf(name)}`,
            undo: restored,
          },
        ]
      : [{ title: `Check that ${name} did what it is for`, run: asUser(command, check, 15), ...env, undo: ':' }];
  return [{ title: `Run ${name}`, run: asUser(command, run, timeout), ...env, ...back }, ...note];
}

/** Commands of one's own, each with a check whether there is anything to do. */
export const commands = defineTaskserv<Config, CommandsFacts>({
  name: 'commands',
  category: 'own-things',
  holds: [],
  description: 'Your own commands, each with a check whether it is needed.',
  versions: { default: '1', supported: ['1'], source: 'own' },
  after: ['users', 'packages', 'files'],
  config,
  uses: () => [],
  follows: ({ after }) => after,
  facts: ({ commands }) => ({
    done: fact<Record<string, string>>(
      `cd ${DONE} && grep -H '' -- *`,
      ({ stdout }) =>
        Object.fromEntries(
          stdout.split('\n').flatMap((line) => (/^([A-Za-z0-9-]+):([0-9a-f]+)$/.exec(line) ? [line.split(':')] : [])),
        ),
      {},
    ),
    ...Object.fromEntries(
      Object.entries(commands).flatMap(([name, command]) =>
        command.check === undefined
          ? []
          : [
              [
                `check ${name}`,
                fact(`${asUser(command, command.check, 14)} >/dev/null`, ({ exit }) => exit === 0, false, envOf(command), {
                  ...{ entry: name, command: command.check, isCheck: true },
                }),
              ],
            ],
      ),
    ),
  }),
  installed: ({ done }) => (Object.keys(done).length > 0 ? '1' : undefined),

  plan({ commands }, found) {
    const forgotten = Object.keys(found.done).filter((name) => name !== PRESENT && !commands[name]);
    const isDone = (name: string, command: Command): boolean =>
      command.check === undefined ? found.done[name] === hashOf(command) : found[`check ${name}`] === true;
    return [
      ...(found.done[PRESENT] ? [] : [MARK]),
      ...Object.entries(commands).flatMap(([name, command]) => steps(name, command, isDone(name, command), found.done[name])),
      ...forgotten.map(forget(found.done)),
    ];
  },

  health: ({ commands }) =>
    Object.entries(commands).map(([name, command]) => ({
      title: command.check === undefined ? `${name} has run` : `what ${name} is for is so`,
      command:
        command.check === undefined
          ? sh`[ "$(cat ${noteOf(name)})" = ${hashOf(command)} ]`
          : `${asUser(command, command.check, 14)} >/dev/null`,
      ...(command.check !== undefined && {
        env: envOf(command),
        given: { entry: name, command: command.check, isCheck: true as const },
      }),
    })),

  remove: (_, { done }) => Object.keys(done).map(forget(done)),
});

const MARK: Step = {
  title: 'Make the folder of what has run',
  run: sh`install -d -m 0700 ${DONE}
printf 1 >${noteOf(PRESENT)}`,
  undo: sh`rm -f -- ${noteOf(PRESENT)}`,
};

const forget =
  (done: Record<string, string>) =>
  (name: string): Step => ({
    title: name === PRESENT ? `Empty ${DONE}` : `Forget that ${name} has run`,
    run: sh`rm -f -- ${noteOf(name)}`,
    undo: sh`printf %s ${done[name] ?? ''} >${noteOf(name)}`,
  });
