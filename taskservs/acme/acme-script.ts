import { encodeSecret, fingerprint, MANAGED_FILE_HEADER, type SecretRef, secretAs, sh, type Text } from '../../sdk/index.js';
import type { AcmeConfig, Certificate } from './acme-config.js';

export const HEAD = `${MANAGED_FILE_HEADER}\n`;
export const SCRIPT = '/usr/local/sbin/provisioning-acme';
export const ENVIRONMENT = '/etc/acme/environment';
export const AUTHORITY = '/etc/acme/authority.pem';

/** Identifies the request of a certificate. The method of proof does not count: it may change. */
export const requestOf = ({ directory }: AcmeConfig, { domains, key }: Certificate): string =>
  fingerprint([directory, domains, key]);

/** Environment of lego, in a format that both systemd and shells read. */
export function environmentFile({ authority, dns }: AcmeConfig): Text {
  const rfc2136 = dns?.provider === 'rfc2136' && {
    RFC2136_NAMESERVER: dns.server ?? '',
    RFC2136_TSIG_KEY: dns.key ?? '',
    RFC2136_TSIG_ALGORITHM: `${dns.algorithm}.`,
    ...(dns.secret && { RFC2136_TSIG_SECRET: dns.secret }),
  };
  const given = { ...(authority && { LEGO_CA_CERTIFICATES: AUTHORITY }), ...rfc2136, ...dns?.environment };
  const writtenValue = (value: string | SecretRef) =>
    typeof value === 'string' ? encodeSecret('environment-file', value) : secretAs('environment-file', value);
  return [HEAD, ...Object.entries(given).flatMap(([name, value]) => [`${name}=`, writtenValue(value), '\n'])];
}

/** How it is proven that a name is ours. */
function challenge({ httpPort, dns }: AcmeConfig): string[] {
  if (dns) {
    // Its own server knows the zone, whoever else does.
    const resolvers = dns.server ? ['--dns.resolvers', dns.server] : [];
    return ['--dns', dns.provider, ...resolvers, ...(dns.checkPropagation ? [] : ['--dns.disable-cp'])];
  }
  return ['--http', '--http.port', httpPort === 80 ? ':80' : `127.0.0.1:${httpPort}`];
}

/** A day at least: `lego` counts in days. */
const daysOf = ({ renewBefore }: AcmeConfig): number => Math.ceil(renewBefore / 86_400);

const call = (config: AcmeConfig, certificate: Certificate): string => {
  const { name, domains, key, group, reload } = certificate;
  const options = ['--key-type', key, ...domains.flatMap((domain) => ['--domains', domain])];
  const first = (domains[0] ?? '').replace('*', '_');
  return `  ${sh`${name}) obtain ${requestOf(config, certificate)} ${first} ${group} ${reload.join(' ')} ${options}`} ;;`;
};

/**
 * Program that gets, renews and deploys certificates.
 *
 * It stores each certificate by its request (`/var/lib/acme/NAME/REQUEST`), so a roll-back deploys the former one. The
 * file `reload` beside it stays until all services that read the certificate were reloaded, even after an
 * interruption.
 */
export const acmeScript = (config: AcmeConfig): string => `#!/bin/bash
${HEAD}set -euo pipefail
umask 077
STATE=/var/lib/acme

withdraw() { rm -rf "/etc/acme/$name"; rm -f "$STATE/$name/deployed"; }

# deploy REQUEST
deploy() {
  local from="$STATE/$name/$1" to="/etc/acme/$name" file group part
  read -r file group <"$from/deploy"
  if [ "$(stat -c %G "$to/key.pem" 2>/dev/null)" != "$group" ] || ! cmp -s "$from/certificates/$file.crt" "$to/certificate.pem" ||
    ! cmp -s "$from/certificates/$file.key" "$to/key.pem"; then
    install -d -m 0750 -g "$group" "$to"
    : >"$STATE/$name/reload"
    cat "$from/certificates/$file.crt" "$from/certificates/$file.key" >"$STATE/$name/combined"
    install -m 0640 -g "$group" "$from/certificates/$file.crt" "$to/.certificate.pem"
    install -m 0640 -g "$group" "$from/certificates/$file.key" "$to/.key.pem"
    install -m 0640 -g "$group" "$STATE/$name/combined" "$to/.combined.pem"
    rm -f "$STATE/$name/combined" "$to/temporary"
    for part in certificate key combined; do mv -f "$to/.$part.pem" "$to/$part.pem"; done
  fi
  printf '%s\\n' "$1" >"$STATE/$name/deployed"
}

# Tells those that read it, where they run, and those that have it copied.
reload() {
  [ -e "$STATE/$name/reload" ] || return 0
  local unit hook failed=0
  for unit in $1; do
    if systemctl is-active --quiet "$unit"; then systemctl reload-or-restart "$unit"; fi
  done
  for hook in /etc/acme/deploy.d/*; do
    [ ! -x "$hook" ] || "$hook" "$name" || failed=1
  done
  [ "$failed" = 0 ] || return 1
  rm -f "$STATE/$name/reload"
}

# obtain REQUEST FIRST-DOMAIN GROUP UNITS OPTIONS…
obtain() {
  local request="$1" file="$2" group="$3" units="$4" path="$STATE/$name/$1" verb=(run) why
  shift 4
  install -d -m 0700 "$STATE" "$STATE/accounts" "$STATE/$name" "$path"
  ln -sfn ../../accounts "$path/accounts"
  if [ -s "$path/certificates/$file.crt" ]; then verb=(${sh`renew --no-random-sleep --days ${daysOf(config)}`}); fi
  if ! timeout 600 lego --accept-tos ${sh`--server ${config.directory} --email ${config.email} ${challenge(config)}`} \\
    --path "$path" "$@" "\${verb[@]}" >/dev/null 2>"$path/log"; then
    why=$(grep -vF '[INFO]' "$path/log" | sed -E 's,^[0-9/]+ [0-9:]+ ,,' | tail -n 4 | tr -s '\\n\\t' '  ' | cut -c 1-1000) || why="it was not answered in time"
    printf 'cannot get certificate %s: %s\\n' "$name" "$why" >&2
    return 1
  fi
  printf '%s %s\\n' "$file" "$group" >"$path/deploy"
  deploy "$request"
  reload "$units"
}

one() {
  name="$1"
  case "$name" in
${config.certificates.map((certificate) => call(config, certificate)).join('\n')}
  *) echo "there is no certificate $name" >&2; return 1 ;;
  esac
}

set -a
. ${ENVIRONMENT}
set +a
lock() { install -d -m 0700 "$STATE"; exec 9>"$STATE/lock"; flock -w 900 9; }
case "\${1-}" in
get) lock; one "$2" ;;
deploy) lock; name="$2"; deploy "$3" ;;
withdraw) lock; name="$2"; withdraw ;;
renew)
  failed=0
  for each in ${config.certificates.map(({ name }) => name).join(' ')}; do "$0" get "$each" || failed=1; done
  exit "$failed"
  ;;
*) echo 'say get NAME, or renew' >&2; exit 2 ;;
esac
`;
