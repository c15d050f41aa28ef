import { expect } from 'vitest';
import { bash, fileIn, type Play, problems, server, steps } from './play.js';

const job = (schedule: string, command = 'true') => ({ jobs: [{ name: 'job', schedule, command }] });

/**
 * Returns the text that Debian's cron passes to the shell: `do_command.c` ends a command at a bare `%`, and drops the
 * backslash before one.
 */
function handedOver(line: string): string {
  let command = '';
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] as string;
    const next = line[at + 1] ?? '';
    if (sign === '\\' && (next === '%' || next === '\\')) {
      command += next;
      at += 1;
    } else if (sign === '%') break;
    else command += sign;
  }
  return command;
}

/** Returns the output of a job, by the crontab that is written. */
function printed(command: string): string {
  const crontab = fileIn(steps('cron', job('30 3 * * *', command)), '/etc/cron.d/provisioning');
  const line = crontab.split('\n').find((one) => one.startsWith('30 3 * * * root ')) ?? '';
  return bash(handedOver(line.slice('30 3 * * * root '.length)), 'systemd-cat() { shift 2; "$@"; }').out;
}

const runsAsWritten =
  (...commands: string[]): Play =>
  () => {
    for (const command of commands) expect(printed(command)).toBe(bash(`sh -c '${command.replaceAll("'", `'\\''`)}'`).out);
  };

const refused = async (schedule: string) =>
  expect(await problems(server('cron', job(schedule)))).toEqual([
    expect.stringMatching(
      /^4:\d+: a schedule is "minute hour day month weekday" with one space between, such as "30 3 \* \* mon", or "@daily"$/,
    ),
  ]);

export const CRON: Record<string, Play> = {
  22: runsAsWritten('date +%F', "echo 'a%b'"),
  23: runsAsWritten('date +\\%F', 'echo a\\%b'),
  24: runsAsWritten("echo 'a\\\\b'", "printf '%s' 'a\\\\b'"),
  25: async () => {
    for (const schedule of ['@midnight', '@annually', '@daily', '*/5 0-6 * jan,feb mon-fri', '0 0 * * 7'])
      expect(await problems(server('cron', job(schedule)))).toEqual([]);
    for (const schedule of ['30\t3 * * *', '30  3 * * *', '0 0 * * fri-sun', '0 22-6 * * *']) await refused(schedule);
  },
};
