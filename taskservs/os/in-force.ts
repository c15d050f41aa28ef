import { type Contents, fact, type Step, sh } from '../../sdk/index.js';
import { kernelSettings, type OsConfig } from './os-config.js';

/** Active settings of a host: the kernel's settings that can be changed, by name, and those of systemd and sessions. */
interface InForce {
  kernel: Record<string, string>;
  core: string;
  zone: string;
  locale: string;
}

/** Prints each setting of the kernel that can be changed: containers may change few or none. */
const READ_KERNEL = String.raw`for key; do
  path=/proc/sys/${'$'}{key//.//}
  [ -w "$path" ] && read -ra words <"$path" && printf 'kernel %s %s\n' "$key" "${'$'}{words[*]}"
done`;

const READ_REST = String.raw`printf 'core %s\n' "$(systemctl show -p DefaultLimitCORE --value)"
printf 'zone %s\n' "$(readlink /etc/localtime)"
printf 'locale %s\n' "$(sed -n 's/^LANG=//p' /etc/default/locale 2>/dev/null | tr -d '"')"`;

function parse({ stdout }: { stdout: string }): InForce {
  const lines = stdout.split('\n').map((line) => line.split(' '));
  const of = (name: string) => lines.find(([first]) => first === name)?.[1] ?? '';
  const kernel = lines.filter(([first]) => first === 'kernel').map(([, key = '', ...words]) => [key, words.join(' ')]);
  return {
    kernel: Object.fromEntries(kernel),
    core: of('core'),
    zone: of('zone').replace(/^.*\/zoneinfo\//, ''),
    locale: of('locale'),
  };
}

const setKernel = (settings: [string, string][]): string =>
  settings.map(([key, value]) => sh`sysctl -q -w ${`${key}=${value}`}`).join('\n');

function kernelSteps(config: OsConfig, found: InForce | undefined): Step[] {
  const others = kernelSettings(config).filter(({ key, value }) => (found ? (found.kernel[key] ?? value) : undefined) !== value);
  if (others.length === 0) return [];
  return [
    {
      title: 'Put the settings of the kernel in force',
      run: setKernel(others.map(({ key, value }) => [key, value])),
      undo: setKernel(others.flatMap(({ key }) => (found?.kernel[key] === undefined ? [] : [[key, found.kernel[key]]]))) || ':',
      changes: { files: others.map(({ key }) => `/proc/sys/${key.replaceAll('.', '/')}`) },
    },
  ];
}

const setZone = (
  zone: string,
): string => sh`test -e ${`/usr/share/zoneinfo/${zone}`} || { echo "the host has no such time zone" >&2; exit 1; }
ln -sfn ${`/usr/share/zoneinfo/${zone}`} /etc/localtime
printf '%s\n' ${zone} >/etc/timezone`;

const setLocale = (locale: string): string => sh`printf 'LANG=%s\n' ${locale} >/etc/default/locale`;

/** The active settings, and the steps for the others. */
export const inForce: Contents<OsConfig, InForce | undefined> = {
  fact: (config) =>
    fact<InForce | undefined>(
      `${sh`set -- ${kernelSettings(config).map(({ key }) => key)}`}\n${READ_KERNEL}\n${READ_REST}`,
      parse,
      undefined,
    ),

  steps(config, found) {
    const { coreDumps, timeZone, locale } = config;
    const takeIn = 'systemctl daemon-reload';
    return [
      ...kernelSteps(config, found),
      ...(found && (found.core === '0') === coreDumps
        ? [{ title: 'Let systemd take its limit of core dumps in', run: takeIn, undo: takeIn }]
        : []),
      ...(timeZone && found?.zone !== timeZone
        ? [
            {
              title: `Set the time zone ${timeZone}`,
              run: setZone(timeZone),
              undo: found?.zone ? setZone(found.zone) : ':',
              changes: { files: ['/etc/localtime', '/etc/timezone'] },
            },
          ]
        : []),
      ...(locale && found?.locale !== locale
        ? [
            {
              title: `Set the locale ${locale}`,
              run: `locale -a | grep -qixF ${sh`${locale.replace('UTF-8', 'utf8')}`} || { echo "the host has no such locale" >&2; exit 1; }\n${setLocale(locale)}`,
              undo: found?.locale ? setLocale(found.locale) : ':',
              changes: { files: ['/etc/default/locale'] },
            },
          ]
        : []),
    ];
  },
};
