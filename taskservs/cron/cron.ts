import * as z from 'zod';
import { debianVersions, encodeSecret, line, MANAGED_FILE_HEADER, settingsService, sh } from '../../sdk/index.js';
import { schedule } from './schedule.js';

const CONF = '/etc/cron.d/provisioning';

const job = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, { error: 'the name of a job has up to 32 lower-case letters, digits and dashes' })
    .describe('Name of the job, used in the journal'),
  schedule: schedule().describe('Schedule in the time zone of the host: `30 3 * * mon`, `@daily`, `@reboot`'),
  user: z
    .string()
    .regex(/^[a-z_][a-z0-9_.-]{0,31}$/, { error: 'a user name has up to 32 lower-case letters, digits, ".", "-" and "_"' })
    .default('root')
    .describe('User of the job'),
  command: line(600).min(1).describe('Command for the shell'),
});

const config = z
  .strictObject({
    jobs: z
      .array(job)
      .min(1)
      .refine((jobs) => new Set(jobs.map(({ name }) => name)).size === jobs.length, { error: 'each job may be listed only once' })
      .describe('Jobs'),
    environment: z
      .record(
        z.string().regex(/^[A-Z_][A-Z0-9_]*$/, { error: 'the name of a variable has capital letters, digits and _' }),
        line().regex(/^[^"']*$/, { error: 'a variable of cron cannot contain quotes' }),
      )
      .default({})
      .describe('Variables of all jobs; cron expands nothing in them'),
    mailTo: z.email().optional().describe('Mail address for the output of jobs; default: the output goes to the journal'),
  })
  .meta({
    examples: [
      { jobs: [{ name: 'clean', schedule: '30 3 * * *', user: 'www-data', command: 'find /srv/cache -mtime +7 -delete' }] },
    ],
  });

type Config = z.output<typeof config>;

function crontab({ jobs, environment, mailTo = '' }: Config): string {
  const variables = {
    SHELL: '/bin/sh',
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...environment,
    MAILTO: mailTo,
  };
  return [
    MANAGED_FILE_HEADER,
    ...Object.entries(variables).map(([name, value]) => `${name}="${value}"`),
    ...jobs.map(({ name, schedule, user, command }) => {
      const run = mailTo === '' ? sh`systemd-cat -t ${`cron-${name}`} /bin/sh -c ${command}` : command;
      return `${schedule} ${user} ${encodeSecret('cron', run)}`;
    }),
    '',
  ].join('\n');
}

/** Cron says nothing of a job whose user is missing, and does not run it. */
const CHECK = String.raw`sed -nE 's/^@[a-z]+ ([^ ]+) .*/\1/p; s/^[0-9*]([^ ]* ){5}([^ ]+) .*/\2/p' ${CONF} | sort -u | while read -r user; do
  getent passwd "$user" >/dev/null || { echo "the host has no user $user" >&2; exit 1; }
done`;

/** Runs commands on a schedule. */
export const cron = settingsService({
  name: 'cron',
  category: 'system',
  holds: [],
  description: 'Runs commands on a schedule.',
  versions: debianVersions({ 12: '3.0', 13: '3.0' }),
  supports: { os: ['debian'] },
  after: ['users'],
  config,
  package: 'cron',
  files: { jobs: { path: CONF, content: crontab } },
  check: CHECK,
  health: () => [{ title: 'cron runs', command: 'systemctl is-active cron', expect: 'active' }],
});
