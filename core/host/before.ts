import { fingerprint } from '../encoding/hash.js';
import { type Fact, fact } from './facts.js';
import { HOST_STATE } from './foreign-host.js';
import { quote } from './shell.js';
import type { Thing } from './step.js';

/**
 * Folder of an adopted host's former state. Only root reads it. It exists only if it was there from the first change.
 */
export const FORMER_STATE_FOLDER = `${HOST_STATE}/before`;

/** The name of a note in the folder. */
export const noteKey = (what: Thing, name: string): string => fingerprint(`${what} ${name}`);

/** Something that a service changed on a host. */
export interface NotedChange {
  what: Thing;
  /** The path, or the name. */
  name: string;
  was: 'there' | 'absent';
  /** It is as it was. */
  same: boolean;
  /** A script of the service changed it: no step of its removal names it. */
  declared: boolean;
  /** Others write in it, too. */
  shared: boolean;
  /** For a unit: whether it ran, and its state of `systemctl is-enabled`. */
  unit?: { active: boolean; enabled: string };
}

/** Former state of a host, as far as one service changed it. */
export interface FormerState {
  noted: NotedChange[];
  /** Packages that services brought and that are there still. */
  added: string[];
  /** Packages that went when this service came. */
  gone: string[];
  /** Services that are there. */
  services: string[];
}

/** Bash that prints the names of the packages that are installed by a status file of dpkg, sorted. */
export const scriptInstalledIn = (status: string): string =>
  `awk '/^Package: /{name=$2} /^Status: [a-z]+ ok installed$/{print name}' ${status} | LC_ALL=C sort -u`;

const script = (service: string): string => `cd ${FORMER_STATE_FOLDER} || exit 0
echo on
for note in [0-9a-f]*/; do
  note=\${note%/} by=
  read -r by <"$note/by" && [ "$by" = ${quote(service)} ] || continue
  IFS= read -r line <"$note/what"
  what=\${line%% *} name=\${line#* } was=absent is=other more=-
  [ ! -e "$note/there" ] || was=there
  for mark in declared shared; do [ ! -e "$note/$mark" ] || more=$mark; done
  shape() { stat -c '%a %u %g' -- "$1"; }
  case $what in
    file)
      if [ $was = absent ]; then [ -e "$name" ] || [ -L "$name" ] || is=same
      elif [ -L "$note/kept.file" ]; then [ "$(readlink "$note/kept.file")" != "$(readlink -- "$name")" ] || is=same
      elif [ -f "$name" ] && [ ! -L "$name" ] && [ "$(shape "$name")" = "$(shape "$note/kept.file")" ] && timeout 5 cmp -s -- "$name" "$note/kept.file"; then is=same
      fi ;;
    directory) if [ $was = absent ]; then [ -d "$name" ] || is=same; elif [ "$(shape "$name")" = "$(cat "$note/shape")" ]; then is=same; fi ;;
    unit)
      read -r active enabled <"$note/unit"; more=$active,$enabled
      [ "$(systemctl is-active "$name") $(systemctl is-enabled "$name")" != "$active $enabled" ] || is=same ;;
    account) { getent passwd "$name" && id -nG "$name"; } | cmp -s - "$note/account" && is=same ;;
    group) if [ $was = there ] || ! getent group "$name" >/dev/null; then is=same; fi ;;
  esac
  printf 'n %s %s %s %s %s\\n' "$what" $was $is "$more" "$name"
done
for one in services/*; do [ ! -e "$one" ] || echo "s \${one#services/}"; done
installed() { ${scriptInstalledIn('/var/lib/dpkg/status')}; }
cat packages/*.added | LC_ALL=C sort -u | LC_ALL=C comm -12 - <(installed) | sed 's/^/a /'
cat ${quote(`packages/${service}.gone`)} | LC_ALL=C sort -u | LC_ALL=C comm -23 - <(installed) | sed 's/^/g /'
true`;

/**
 * Fact with the host's state before the service. Undefined if it was not recorded from the first change: the platform,
 * or a former release of it, made the host.
 */
export const createBeforeFact = (service: string): Fact<FormerState | undefined> => fact(script(service), readBefore, undefined);

export function readBefore({ stdout }: { stdout: string }): FormerState | undefined {
  const [on, ...lines] = stdout.split('\n');
  if (on !== 'on') return undefined;
  const of = (kind: string) => lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(2)] : []));
  const noted = of('n').map((line): NotedChange => {
    const [what, was, is, more = '', ...name] = line.split(' ');
    const [active, enabled = ''] = more.split(',');
    return {
      ...{ what: what as Thing, name: name.join(' '), was: was === 'there' ? 'there' : 'absent' },
      ...{ same: is === 'same', declared: more === 'declared', shared: more === 'shared' },
      ...(what === 'unit' && { unit: { active: active === 'active', enabled } }),
    };
  });
  return { noted, added: of('a'), gone: of('g'), services: of('s') };
}
