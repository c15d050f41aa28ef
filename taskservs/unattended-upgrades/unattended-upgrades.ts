import * as z from 'zod';
import { debianVersions, fact, managedFileHeader, packageService, type Step, sh } from '../../sdk/index.js';

const DEBIAN = 'origin=Debian,codename=${distro_codename}';
const SECURITY = [`${DEBIAN},label=Debian-Security`, `${DEBIAN}-security,label=Debian-Security`];

const config = z
  .strictObject({
    install: z
      .enum(['security', 'all'])
      .default('security')
      .describe('Daily updates: only security updates, or all updates of the release'),
    never: z
      .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]*$/, { error: 'the name of a package has lower-case letters, digits and +.-' }))
      .default([])
      .describe('Packages to exclude'),
    removeUnused: z.boolean().default(true).describe('Whether unused packages are removed'),
    rebootAt: z
      .string()
      .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, { error: 'write a time of day as "03:30"' })
      .optional()
      .describe('Time of day, in the time zone of the host, for a reboot if an update requires it; default: never'),
  })
  .meta({ examples: [{ never: ['postgresql-15'], rebootAt: '03:30' }] });

type Config = z.output<typeof config>;

function aptConf({ install, never, removeUnused, rebootAt }: Config): string {
  const origins = install === 'all' ? [...SECURITY, `${DEBIAN},label=Debian`, `${DEBIAN}-updates,label=Debian`] : SECURITY;
  // A name is a regular expression here, and the whole name is meant.
  const blacklist = never.map((name) => `^${name.replaceAll(/[.+]/g, '\\$&')}$`);
  const list = (name: string, values: string[]) => [`${name} {`, ...values.map((value) => `  "${value}";`), '};'];
  return [
    managedFileHeader('//'),
    'APT::Periodic::Update-Package-Lists "1";',
    'APT::Periodic::Unattended-Upgrade "1";',
    '#clear Unattended-Upgrade::Origins-Pattern;',
    ...list('Unattended-Upgrade::Origins-Pattern', origins),
    // Packages on the host's own blacklist already stay.
    ...(blacklist.length > 0 ? list('Unattended-Upgrade::Package-Blacklist', blacklist) : []),
    `Unattended-Upgrade::Remove-Unused-Dependencies "${removeUnused}";`,
    `Unattended-Upgrade::Automatic-Reboot "${rebootAt !== undefined}";`,
    ...(rebootAt ? [`Unattended-Upgrade::Automatic-Reboot-Time "${rebootAt}";`] : []),
    '',
  ].join('\n');
}

const TIMERS = ['apt-daily.timer', 'apt-daily-upgrade.timer'];

/** States of the timers in systemd, one word each. Debian enables them, and images of some hosts do not. */
const timersFact = () =>
  fact<string[]>(sh`systemctl is-enabled ${TIMERS} 2>&1`, ({ stdout }) => stdout.split('\n').filter(Boolean), [
    'enabled',
    'enabled',
  ]);

function timerSteps(_: Config, states: string[]): Step[] {
  if (states.length === TIMERS.length && states.every((state) => state === 'enabled')) return [];
  // In the order of the query. A host without systemd has no answers.
  const former = TIMERS.map((timer, index) => ({ timer, state: states[index] }));
  const off = former.filter(({ state }) => state !== 'enabled').map(({ timer }) => timer);
  const masked = former.filter(({ state }) => state === 'masked').map(({ timer }) => timer);
  return [
    {
      title: 'Turn the timers of apt on',
      run: `${sh`systemctl unmask ${TIMERS}`}\n${sh`systemctl enable --now ${TIMERS}`}`,
      undo: [sh`systemctl disable --now ${off}`, ...(masked.length > 0 ? [sh`systemctl mask ${masked}`] : [])].join('\n'),
      changes: { units: TIMERS },
    },
  ];
}

/** Installs security updates every day. */
export const unattendedUpgrades = packageService({
  name: 'unattended-upgrades',
  category: 'system',
  holds: [],
  description: 'Installs security updates every day automatically.',
  versions: debianVersions({ 12: '2.9', 13: '2.12' }),
  supports: { os: ['debian'] },
  config,
  files: { conf: { path: '/etc/apt/apt.conf.d/60provisioning-unattended-upgrades', content: aptConf } },
  check: 'apt-config dump >/dev/null',
  contents: { fact: timersFact, steps: timerSteps },
  health: () => [
    {
      title: 'updates are installed every day',
      command: 'apt-config dump APT::Periodic::Unattended-Upgrade && systemctl is-enabled apt-daily-upgrade.timer',
      expect: 'Unattended-Upgrade "1"',
    },
  ],
});
