import * as z from 'zod';
import {
  absolutePath,
  calendar,
  debianVersions,
  fact,
  MANAGED_FILE_HEADER,
  packageService,
  type Step,
  timerFile,
} from '../../sdk/index.js';

const CONF = '/etc/aide/provisioning.conf';
const DATABASE = '/var/lib/aide/provisioning.db';
/** The configuration that the database was made by. */
const MADE_BY = '/var/lib/aide/provisioning.made-by';
const HEAD = `${MANAGED_FILE_HEADER}\n`;

const config = z
  .strictObject({
    paths: z.array(absolutePath()).min(1).default(['/boot', '/etc', '/root', '/usr']).describe('Directories and files to watch'),
    exclude: z.array(absolutePath()).default([]).describe('Paths to exclude below them'),
    schedule: calendar().default('daily').describe('Time of the check, in the format of systemd: `daily`, `*-*-* 03:30`'),
  })
  .meta({ examples: [{ paths: ['/boot', '/etc', '/usr', '/srv/app'], exclude: ['/srv/app/cache'] }] });

type Config = z.output<typeof config>;

/** A path as the expression that aide takes for it and all below it. */
const below = (path: string): string => `${path.replaceAll('.', '\\.')}(/|$)`;

const aideConf = ({ paths, exclude }: Config): string =>
  `${HEAD}database_in=file:${DATABASE}
database_out=file:${DATABASE}.new
gzip_dbout=yes
Watched = ftype+p+u+g+s+m+l+acl+xattrs+sha256
${exclude.map((path) => `!${below(path)}\n`).join('')}${paths.map((path) => `${below(path)} Watched\n`).join('')}`;

const SERVICE = `${HEAD}[Unit]
Description=Look for files that were changed

[Service]
Type=oneshot
ExecStart=/usr/bin/aide --config ${CONF} --check
Nice=15
IOSchedulingClass=idle
`;

const timer = ({ schedule }: Config): string =>
  HEAD + timerFile('Look for files that were changed at set times', schedule, { delay: '30m' });

const MAKE = `install -d -m 0700 /var/lib/aide
aide --config ${CONF} --init >/dev/null
mv -f ${DATABASE}.new ${DATABASE}
cp ${CONF} ${MADE_BY}`;

/** A database that another configuration made would report every file as new, or watch no file. */
function databaseSteps(config: Config, madeBy: string): Step[] {
  if (madeBy.trim() === aideConf(config).trim()) return [];
  return [{ title: 'Note how the watched files are', run: MAKE, undo: `rm -f ${MADE_BY}` }];
}

/** Tells which files were changed. */
export const aide = packageService({
  name: 'aide',
  category: 'security',
  holds: [],
  description: 'Records the state of files, and reports changes every day.',
  versions: debianVersions({ 12: '0.18', 13: '0.19' }),
  supports: { os: ['debian'] },
  config,
  unit: 'aide-check.timer',
  files: {
    conf: { path: CONF, content: aideConf, mode: '0600' },
    service: { path: '/etc/systemd/system/aide-check.service', content: () => SERVICE },
    timer: { path: '/etc/systemd/system/aide-check.timer', content: timer },
  },
  check: `aide --config ${CONF} --config-check`,
  contents: {
    fact: () => fact<string>(`[ -s ${DATABASE} ] && cat ${MADE_BY}`, ({ stdout }) => stdout, ''),
    steps: databaseSteps,
  },
  health: () => [
    {
      title: 'files are checked at set times',
      command: `[ -s ${DATABASE} ] && systemctl is-active aide-check.timer`,
      expect: 'active',
    },
  ],
});
