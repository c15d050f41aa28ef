import * as z from 'zod';
import { debianVersions, MANAGED_FILE_HEADER, settingsService, size } from '../../sdk/index.js';
import { checkRules } from './check.js';

const CONF = '/etc/logrotate.d/provisioning';

const path = z.string().regex(/^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._*-]+)+$/, {
  error: 'write an absolute path with only letters, digits, ".", "_", "-" and "*", without ".."',
});
const owner = z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}:[a-z_][a-z0-9_.-]{0,31}$/, { error: 'write user:group' });

const rule = z
  .strictObject({
    paths: z.array(path).min(1).describe('Files, as patterns: `/var/log/app/*.log`'),
    every: z.enum(['day', 'week', 'month']).default('week').describe('How often they are rotated'),
    keep: z.int().min(0).max(1000).default(4).describe('How many old files are kept'),
    maxSize: size('1 GiB').describe('Size for an earlier rotation, checked once a day'),
    compress: z.boolean().default(true).describe('Whether old files except the newest are compressed'),
    owner: owner.optional().describe('Owner of its directory as `user:group`, if it is not root'),
    mode: z
      .string()
      .regex(/^0[0-7]{3}$/, { error: 'write a mode as four octal digits: "0640"' })
      .default('0640')
      .describe('Mode of the new file'),
    reload: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9@._-]{0,99}$/, { error: 'the name of a unit has letters, digits, @, ., _ and -' })
      .optional()
      .describe('Unit that is reloaded after a rotation, so that it opens the new file'),
    copy: z
      .boolean()
      .default(false)
      .describe('Whether the file is copied and emptied, for programs that keep it open; lines may be lost during the copy'),
  })
  .refine(({ copy, reload }) => !copy || reload === undefined, { path: ['reload'], error: 'copyTruncate keeps the file open' });

const config = z
  .strictObject({
    rules: z
      .array(rule)
      .min(1)
      .refine((rules) => new Set(rules.flatMap(({ paths }) => paths)).size === rules.flatMap(({ paths }) => paths).length, {
        error: 'each path may be in only one rule',
      })
      .describe('Rotated log files with their settings'),
  })
  .meta({ examples: [{ rules: [{ paths: ['/var/log/app/*.log'], every: 'day', keep: 14, reload: 'app' }] }] });

type Rule = z.output<typeof rule>;

const EVERY = { day: 'daily', week: 'weekly', month: 'monthly' } as const;

function block({ paths, every, keep, maxSize, compress, owner, mode, reload, copy }: Rule): string {
  const [user, group] = owner?.split(':') ?? [];
  const lines = [
    EVERY[every],
    `rotate ${keep}`,
    `maxsize ${maxSize}`,
    'missingok',
    'notifempty',
    ...(compress ? ['compress', 'delaycompress'] : ['nocompress']),
    ...(owner ? [`su ${user} ${group}`] : []),
    ...(copy ? ['copytruncate'] : [`create ${mode}${owner ? ` ${user} ${group}` : ''}`]),
    ...(reload ? ['sharedscripts', 'postrotate', `  systemctl try-reload-or-restart ${reload}`, 'endscript'] : []),
  ];
  return `${paths.join('\n')} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Keeps log files from filling the disk. */
export const logrotate = settingsService({
  name: 'logrotate',
  category: 'system',
  holds: [],
  description: 'Rotates log files, so that they do not fill the disk.',
  versions: debianVersions({ 12: '3.21', 13: '3.22' }),
  supports: { os: ['debian'] },
  after: ['users'],
  config,
  package: 'logrotate',
  unit: 'logrotate.timer',
  files: {
    rules: {
      path: CONF,
      content: ({ rules }) => `${MANAGED_FILE_HEADER}\n${rules.map(block).join('\n')}`,
    },
  },
  check: checkRules(CONF),
  health: () => [
    {
      title: 'log files are rotated every day',
      command: `(
${checkRules(CONF)}
) && systemctl is-active logrotate.timer`,
      expect: 'active',
    },
  ],
});
