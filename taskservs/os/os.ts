import { debianVersions, ensureContent, type FoundFile, file, MANAGED_FILE_HEADER, settingsService, sh } from '../../sdk/index.js';
import { inForce } from './in-force.js';
import { kernelSettings, type OsConfig, osConfig } from './os-config.js';

const SYSCTL = '/etc/sysctl.d/90-provisioning.conf';

function sysctlConf(config: OsConfig): string {
  const settings = kernelSettings(config).map(({ key, value, optional }) => `${optional ? '-' : ''}${key} = ${value}`);
  return `${[MANAGED_FILE_HEADER, ...settings].join('\n')}\n`;
}

function limitsConf({ limits, coreDumps }: OsConfig): string {
  const wanted = limits.map(({ who, what, value }) => `${who} - ${what} ${value}`);
  // `*` is all but root.
  return `${[MANAGED_FILE_HEADER, ...(coreDumps ? [] : ['* hard core 0', 'root hard core 0']), ...wanted].join('\n')}\n`;
}

/** A name that the kernel does not know is a mistake, except where the host may set nothing: there names may be missing. */
const CHECK = `while read -r key _; do
  case $key in '#'* | '') continue ;; esac
  name=\${key#-}
  path=/proc/sys/\${name//.//}
  if [ -w "$path" ]; then continue; fi
  if [ ! -e "$path" ] && [ "$name" = "$key" ] && [ -w /proc/sys/kernel/hostname ]; then
    echo "the kernel has no setting $name" >&2
    exit 1
  fi
  echo "$name cannot be set on this host"
done <${SYSCTL}`;

/** Says which settings could be in force and are not. */
const DIFFERS = `while [ $# -gt 0 ]; do
  path=/proc/sys/\${1//.//}
  if [ -w "$path" ] && read -ra words <"$path" && [ "\${words[*]}" != "$2" ]; then echo "$1 is \${words[*]}" >&2; exit 1; fi
  shift 2
done
echo ok`;

const MOTD = '/etc/motd';

const service = settingsService({
  name: 'os',
  category: 'system',
  holds: [],
  description: 'Settings of the operating system: kernel, limits, core dumps, time zone, locale.',
  versions: debianVersions({ 12: '252', 13: '257' }),
  supports: { os: ['debian'] },
  config: osConfig,
  package: 'systemd',
  furtherPackages: ['procps', 'tzdata'],
  unit: false,
  files: {
    sysctl: { path: SYSCTL, content: sysctlConf },
    limits: { path: '/etc/security/limits.d/90-provisioning.conf', content: limitsConf },
    systemd: {
      path: '/etc/systemd/system.conf.d/90-provisioning.conf',
      content: ({ coreDumps }) => (coreDumps ? undefined : `${MANAGED_FILE_HEADER}\n[Manager]\nDefaultLimitCORE=0\n`),
    },
  },
  check: CHECK,
  contents: inForce,
  health: (config) => [
    {
      title: 'the settings of the kernel are in force',
      command: `${sh`set -- ${kernelSettings(config).flatMap(({ key, value }) => [key, value])}`}\n${DIFFERS}`,
      expect: 'ok',
    },
  ],
});

/** Settings of the kernel, limits, time zone and locale. */
export const os: typeof service = {
  ...service,
  facts: (config) => ({ ...service.facts(config), motd: file(MOTD) }),
  plan(config, found, context) {
    const { motd } = config;
    const steps = service.plan(config, found, context);
    // Every host has one: if the definition says nothing of it, it stays, as it does when the settings go.
    return motd === undefined ? steps : [...steps, ...ensureContent(found.motd as FoundFile, motd === '' ? '' : `${motd}\n`)];
  },
};
