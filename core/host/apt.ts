import { quote, sh } from './shell.js';

/** `apt-get` as all scripts call it: no questions, files of the host stay, and it waits for the lock of dpkg. */
export const APT =
  'apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold -o Dpkg::Use-Pty=0';

/** Seconds that a script waits for another process that reads the package lists, as apt-daily does on a new machine. */
const LISTS_WAIT_S = 300;

/**
 * Bash that defines `read_lists`: `apt-get update` with its arguments. The timeout of dpkg's lock does not cover the lock
 * of the lists, so it tries again while another process holds that lock. It returns the exit code of apt-get.
 */
export const READ_LISTS = `read_lists() {
  local said code last=$((SECONDS + ${LISTS_WAIT_S})) told=
  while :; do
    code=0
    said=$(LC_ALL=C ${APT} "$@" update 2>&1) || code=$?
    case "$code:$said" in
      0:*) ;;
      *'Could not get lock /var/lib/apt/lists/lock'*)
        if [ "$SECONDS" -lt "$last" ]; then
          if [ -z "$told" ]; then echo 'another process reads the package lists: waiting for its end'; told=yes; fi
          sleep 1 || return
          continue
        fi ;;
    esac
    printf '%s\\n' "$said"
    return "$code"
  done
}`;

/**
 * Bash that installs packages. If apt cannot, it reads the lists again, and installs from those that could be read. The
 * exit code of the last try ends the script, so that the step fails with the line of apt.
 *
 * @param words the packages, quoted for a shell
 */
export const installPackages = (words: string): string => `${READ_LISTS}
install() { ${APT} install --no-install-recommends --allow-downgrades ${words}; }
if ! install; then
  dpkg --configure -a
  read_lists || echo 'some package lists could not be read'
  install
fi`;

/** An awk pattern: the second letter of dpkg's status tells what is; the first one what is wanted, as `h` for a hold. */
export const INSTALLED_PATTERN = '$2 ~ /^.i/';

/** Bash that prints the installed packages among these; without names, all installed packages. */
export const scriptInstalledAmong = (words = ''): string =>
  `dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\\n'${words && ` ${words} 2>/dev/null`} | awk '${INSTALLED_PATTERN}{print $1}'`;

/** Bash that prints dpkg's status of a package, such as `ii`, and `un` or nothing if dpkg does not know it. */
export const statusOf = (name: string): string => `dpkg-query -W -f '\${db:Status-Abbrev}' ${quote(name)} 2>/dev/null`;

/** Why a package cannot be changed, and the command that lets it change. */
export const holdOf = (name: string): { why: string; hint: string } => ({
  why: `the package ${name} is on hold on the host`,
  hint: `apt-mark unhold ${name} on the host, or leave the package as it is in the definition`,
});

/** Bash that fails if a package is on hold. */
export const refuseHeld = (name: string): string => `case "$(${statusOf(name)} || true)" in
  h*) echo ${quote(`E: ${holdOf(name).why}: apt-mark unhold ${name}`)}; exit 1 ;;
esac`;

/**
 * Bash that fails if a package is not installed. apt installs the provider of a virtual name, and dpkg then has no
 * package of that name.
 */
export const mustBeInstalled = (name: string): string => `case "$(${statusOf(name)} || true)" in
  ?i*) ;;
  *)
    provider=$(dpkg-query -W -f '\${Package}|\${db:Status-Abbrev}|\${Provides}\\n' | awk -F'|' ${sh`-v name=${name}`} '$2 ~ /^.i/ {
      count = split($3, all, /, */)
      for (at = 1; at <= count; at++) { sub(/ .*/, "", all[at]); if (all[at] == name) { print $1; next } }
    }' | sort -u | paste -sd, | sed 's/,/ or /g')
    if [ -n "$provider" ]; then printf 'E: %s is provided by %s: write that\\n' ${quote(name)} "$provider"
    else printf 'E: %s is not installed, although apt-get reported no error\\n' ${quote(name)}; fi
    exit 1 ;;
esac`;
