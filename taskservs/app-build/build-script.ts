import { NO_MACHINE_CREDENTIALS, type SecretRef, sh, type Text } from '../../sdk/index.js';
import type { Build } from '../app/source-config.js';
import { literally } from '../app/transient.js';

interface BuildRun {
  name: string;
  /** The archive of the source, on the host. */
  source: string;
  /** Path of the archive of the output. Its hash is next to it. */
  to: string;
  build: Build;
}

/** Bytes of what a build makes, packed: what one host may be brought. */
const MOST_BYTES = 2048 * 1024 * 1024;

/** The unit of a build; it is gone as soon as it ends. */
export const buildUnit = (name: string): string => `app-build-${name}`;

/** Stops the unit of an interrupted build. */
export const stopBuild = (name: string): string => sh`systemctl stop ${`${buildUnit(name)}.service`} 2>/dev/null || true`;

/** Variables whose values are secret, and in no artifact. */
const secretsOf = ({ env }: Build): [name: string, SecretRef][] =>
  Object.entries(env).flatMap(([name, value]): [string, SecretRef][] => (typeof value === 'object' ? [[name, value]] : []));

/** Environment of the script: the secrets that no archive may contain. The unit of the build does not get it. */
export const secretsToRefuse = (build: Build): Record<string, Text> =>
  Object.fromEntries(secretsOf(build).map(([, secret], index) => [`SECRET_${index}`, [secret]]));

/**
 * Builds in a transient systemd unit with a user that exists only for this build.
 *
 * The unit sees the host read-only. It sees no home, no file of other processes, and nothing that the platform stores.
 * It writes to a directory that is removed with it. The source comes in and the output goes out through pipes, so root
 * opens no path that the build made. Through a pipe, a build can neither shorten root's journal nor fill root's disk.
 *
 * Standard input has the file of variables, which may have secrets. systemd reads it as root, so no command line has
 * them.
 */
export function buildScript({ name, source, to, build }: BuildRun): string {
  const { run, output, memory, timeout } = build;
  // Commands get no descriptor of the artifact, and all their processes have ended when it is packed. So nothing
  // precedes the files that tar found. The hosts that unpack it do not rely on that.
  const inside = `exec 3>&1 1>&2
mkdir /var/tmp/source /var/tmp/home && cd /var/tmp/source && tar -xzf - --no-same-owner
${run.map((command) => sh`echo ${`$ ${command}`}; bash -euo pipefail -c ${command} </dev/null 3>&-`).join('\n')}
${sh`[ -d ${output} ] || { echo ${`the build made no directory ${output}`}; exit 1; }`}
kill -KILL -1 2>/dev/null || true
${sh`odd=$(find ${output}/ ! -type f ! -type d ! -type l -print -quit)`}
[ -z "$odd" ] || { echo "the build made $odd, which is neither a file nor a folder nor a link"; exit 1; }
${sh`tar -C ${output} -czf - . >&3`}`;
  const unit = buildUnit(name);
  const properties = [
    'DynamicUser=yes',
    'PrivateTmp=yes',
    'PrivateDevices=yes',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'ProtectControlGroups=yes',
    'ProtectKernelModules=yes',
    'ProtectKernelTunables=yes',
    'ProtectProc=invisible',
    'NoNewPrivileges=yes',
    'RestrictNamespaces=yes',
    'RestrictSUIDSGID=yes',
    // A file there would outlive the build.
    'InaccessiblePaths=-/run/lock',
    'CapabilityBoundingSet=',
    'SystemCallArchitectures=native',
    // Code that is built here must not read the cloud's metadata, which has credentials of the machine.
    NO_MACHINE_CREDENTIALS,
    `MemoryMax=${memory}`,
    'MemorySwapMax=0',
    'TasksMax=2048',
    `RuntimeMaxSec=${timeout}`,
    'WorkingDirectory=/var/tmp',
    'Environment=HOME=/var/tmp/home CI=true',
  ];
  const secrets = secretsOf(build);
  const leak = secrets.length === 0 ? '' : refuseLeak(secrets.map(([name]) => name));
  return sh`umask 077
to=${to} unit=${`${unit}.service`}
mkdir -p "$(dirname "$to")"
env=$(mktemp /run/app-build.XXXXXX)
trap 'rm -f "$env" "$to.part"; systemctl stop "$unit" 2>/dev/null || true' EXIT
cat >"$env"
systemctl reset-failed "$unit" 2>/dev/null || true
began=$SECONDS code=0
{ { systemd-run --quiet --wait --pipe --collect --service-type=exec ${`--unit=${unit}`} ${properties.map((one) => `--property=${one}`)} --property=EnvironmentFile="$env" /bin/bash -euo pipefail -c ${literally(inside)} <${source} 2>&1 1>&4 | cat >&3; } 4>&1 | head -c ${MOST_BYTES + 1} >"$to.part"; } 3>&1 || code=$?
if [ "$(stat -c %s -- "$to.part")" -gt ${MOST_BYTES} ]; then echo ${`the build made an archive of more than ${MOST_BYTES} bytes`}; exit 1; fi
if [ $code != 0 ]; then
  if [ $((SECONDS - began)) -ge ${timeout} ]; then echo ${`the build did not end within ${timeout} s`}; else echo "the build failed with code $code"; fi
  exit 1
fi
gzip -t "$to.part"
`.concat(
    `${leak}
sha256sum <"$to.part" | cut -d ' ' -f 1 >"$to.sha256"
mv -f -- "$to.part" "$to"`,
  );
}

/**
 * A build that writes one of its secrets into what it makes would hand it to all hosts, and to whoever reads files there.
 * A secret of several lines is known by the longest one: others, such as the frame of a key, may stand anywhere.
 */
const refuseLeak = (secrets: readonly string[]): string => `
refuse_leak() {
  local line longest= count
  while IFS= read -r line; do if [ \${#line} -gt \${#longest} ]; then longest=$line; fi; done <<<"$2"
  [ \${#longest} -ge 6 ] || return 0
  count=$(gzip -dc "$to.part" | grep -caF -f <(printf '%s\\n' "$longest") || true)
  if [ "$count" != 0 ]; then echo "what was built has the value of the secret $1 in it"; exit 1; fi
}
${secrets.map((name, index) => `refuse_leak ${name} "$SECRET_${index}"`).join('\n')}`;
