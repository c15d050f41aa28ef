import type { CommandOutput, Fact } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import { asVariable, type Text } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { checkCommand, checksPrelude } from './look-checks.js';
import { fileScript, MOST_BYTES } from './look-files.js';
import { staleness } from './look-services.js';
import { unitsScript } from './look-units.js';

/** Facts and health checks of one look at a host, all in one remote execution. */
export interface Look {
  facts: Fact<unknown>[];
  health: HealthCheck[];
  /** Seconds that a single one of them may take; the host ends it then, with all that it started. */
  probeSeconds?: number;
}

/** The raw answers, in the order asked. */
export interface LookAnswer {
  os: string;
  /** `debian-13`; absent where the system does not say its version. */
  release?: string;
  arch: string;
  cores: number;
  memoryMiB: number;
  /** Free space where packages and journals go. */
  freeMiB: number;
  facts: ScriptAnswer[];
  health: ScriptAnswer[];
  /** Group of queries of one call without an answer in time: `packages`, `files`, `services`. */
  late?: string;
}

/** Output of a fact or check, or the reason why it is unusable. */
export interface ScriptAnswer extends CommandOutput {
  fault?: string;
  /** Error output of a failed check. */
  stderr?: string;
  /** Unit of a service, if it is not active. */
  unit?: UnitState;
}

/** State of a unit, in systemd's words. */
export interface UnitState {
  load: string;
  active: string;
  /** How it ended last: `exit-code`, `timeout`, … */
  result: string;
}

/** Seconds that a single fact or health check may take by default. */
export const PROBE_SECONDS = 15;

/** Milliseconds that all of a look may take on the host. */
export const LOOK_MS = 25_000;

/** Why an answer is not there. */
export const TOO_LARGE = `the answer is larger than ${MOST_BYTES / 1024 / 1024} MiB`;

/**
 * The script of a look. Packages, services and files are asked in one call each;
 * commands and health checks run side by side. Few processes: on a small host
 * starting them is what a look costs.
 *
 * @param reveal puts the values of secrets into environments
 */
export function renderLook({ facts, health, probeSeconds = PROBE_SECONDS }: Look, reveal: (text: Text) => string): string {
  const background = backgroundWith(reveal);
  const packages = facts.flatMap((fact) => (fact.kind === 'package' ? [fact.name] : []));
  const services = facts.flatMap((fact) => (fact.kind === 'service' ? [fact] : []));
  const files = facts.flatMap((fact, index) => (fact.kind === 'file' ? [{ index, path: fact.path }] : []));
  const lines = [
    'export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'd=$(mktemp -d /run/provisioning.XXXXXX 2>/dev/null || mktemp -d) || exit 90',
    `trap 'rm -rf "$d"' EXIT`,
    // Each job is a process group, so that what it started can be ended with it.
    'set -m',
    // The shell would say of each job that is ended what it was: with the values of secrets.
    'exec 2>/dev/null',
    // Lines are sent together, because each packet is work for both ends.
    'exec 4>&1 >"$d/told"',
    'jobs=()',
    ...checksPrelude(health),
    ...health.flatMap((check, index) =>
      background('H', index, checkCommand(check, `"$d/H-${index}.out"`), 'env' in check ? check.env : undefined),
    ),
    ...facts.flatMap((fact, index) =>
      fact.kind === 'command' && !asksNothing(fact) ? background('F', index, fact.run, fact.env) : [],
    ),
    ...staleness(facts),
    '(',
    ...fileScript(files),
    'echo system >"$d/stage"',
    '. /etc/os-release',
    'read -r _ mem _ </proc/meminfo',
    // dpkg's architecture, without starting dpkg.
    'case "$HOSTTYPE" in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch= ;; esac',
    '[ -n "$arch" ] && [ -x /usr/bin/dpkg ] || arch=$(dpkg --print-architecture 2>/dev/null || uname -m)',
    'echo "O $ID $arch $(nproc) $((mem/1024)) $(($(stat -f -c %a*%S /var)/1048576)) ${VERSION_ID:-}"',
    ...(packages.length > 0
      ? [
          'echo packages >"$d/stage"',
          `dpkg-query -W -f 'P \${Package} \${db:Status-Abbrev} \${Version}\\n' ${packages.map(quote).join(' ')} 2>/dev/null`,
        ]
      : []),
    ...(services.length > 0 ? ['echo services >"$d/stage"', 'echo S', ...unitsScript(services.map(({ name }) => name))] : []),
    ') </dev/null 4>&- &',
    // It is awaited first, because until then only it prints.
    'jobs=("M $!" "${jobs[@]}")',
    guard(probeSeconds),
    'for job in "${jobs[@]}"; do wait "${job#* }"; echo "${job%% *} $?"; done',
    'kill -KILL -- "-$guard"',
    'stage=files; [ -r "$d/stage" ] && read -r stage <"$d/stage"',
    'cd "$d" && for late in *.late; do [ -e "$late" ] && echo "X ${late%.late} $stage"; done',
    TELL,
    'echo',
    'echo E',
    `exec >&4; if ! IFS= read -r -d '' -n ${SHORT} told <"$d/told"; then printf %s "$told"; else cat "$d/told"; fi`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether it stands for a fact that the configuration has no use for: it needs no process on the host. */
export const asksNothing = (fact: Fact<unknown>): boolean => fact.kind === 'command' && [':', 'true'].includes(fact.run);

/** Ends late processes, and each second those that print without end. For a quick look it costs two processes. */
const guard = (seconds: number) => `( for (( second = 1; second <= ${seconds}; second++ )); do
  sleep 1
  for job in "\${jobs[@]}"; do
    name=\${job%% *} group=\${job#* }
    kill -0 "$group" || continue
    if (( second == ${seconds} )); then echo >"$d/$name.late"
    else [ -n "$(find "$d/$name.out" -size +${MOST_BYTES / 1024}k)" ] || continue; fi
    kill -KILL -- "-$group"
  done
done ) >/dev/null 2>&1 </dev/null 4>&- &
guard=$!`;

/** Maximum size that the shell itself reads, in bytes. For more, a process is faster. */
const SHORT = 65_536;

/**
 * Prints the answers. The shell prints plain text after its length, without another process. Other content is printed with
 * its size, and follows in one piece, as base64. An answer that is too large is reported as such.
 */
const TELL = `other=()
for name in *.out; do
  if [ ! -s "$name" ]; then [ ! -e "$name" ] || echo "Z $name 0"
  elif ! IFS= read -r -d '' -n ${SHORT} text <"$name" && [[ "$text" =~ ^[[:print:][:space:]]*$ ]]; then printf 'Y %s %s\\n%s\\n' "$name" "\${#text}" "$text"
  else other+=("$name"); fi
done
[ \${#other[@]} -eq 0 ] || { while read -r name size; do
  if (( size > ${MOST_BYTES} )); then echo "L \${name%.out}"; : >"$name"; size=0; fi
  echo "Z $name $size"
done < <(stat -c '%n %s' "\${other[@]}") && printf 'B ' && cat "\${other[@]}" | base64 -w0; }`;

const backgroundWith =
  (reveal: (text: Text) => string) =>
  (kind: 'F' | 'H', index: number, command: string, env: Record<string, Text> = {}): string[] => {
    const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(reveal(asVariable(value)))}`);
    const name = `${kind}-${index}`;
    const errors = kind === 'H' ? `"$d/E-${index}.out"` : '/dev/null';
    // One that prints without end is stopped by the system before the guard has seen it.
    return [
      '(',
      'ulimit -f 262144',
      ...exports,
      command,
      `) >>"$d/${name}.out" 2>${errors} </dev/null 4>&- &`,
      `jobs+=("${name} $!")`,
    ];
  };
