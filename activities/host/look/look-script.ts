import type { CommandOutput, Fact } from '../../../core/host/facts.js';
import { quote } from '../../../core/host/shell.js';
import type { Text } from '../../../core/taskserv/secret.js';
import type { HealthCheck } from '../../../core/taskserv/taskserv.js';
import { HOST_STATE } from '../paths.js';
import { asCurl, checkCommand, checksPrelude } from './look-checks.js';
import { fileScript, MOST_BYTES } from './look-files.js';
import { staleness } from './look-services.js';

/** What one look asks of a host: facts and health checks, all in one remote execution. */
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
  /** `<uuid> <workspace> <infra>` of the infra that manages the host. */
  owner?: string;
  facts: Answered[];
  health: Answered[];
  /** What had no answer in time of that which is asked in one call: `packages`, `files`, `services`. */
  late?: string;
}

/** What a fact or a check printed, or why that is of no use. */
export interface Answered extends CommandOutput {
  fault?: string;
  /** Of a check that failed: what it printed to standard error. */
  stderr?: string;
  /** Of a service: its unit, where that is not active. */
  unit?: UnitState;
}

/** What systemd says of a unit, in its own words. */
export interface UnitState {
  load: string;
  active: string;
  /** How it ended last: `exit-code`, `timeout`, … */
  result: string;
}

/** Seconds that a single fact or health check may take where nobody says otherwise. */
export const PROBE_SECONDS = 15;

/** Milliseconds that all of a look may take on the host. */
export const LOOK_MS = 25_000;

const TOO_LARGE = `the answer is larger than ${MOST_BYTES / 1024 / 1024} MiB`;

/**
 * The script of a look. Packages, services and files are asked in one call each;
 * commands and health checks run side by side. Few processes: on a small host
 * starting them is what a look costs. What each answered is told with its size;
 * the answers themselves follow in one piece, as base64.
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
    // What dpkg would say, without asking it.
    'case "$HOSTTYPE" in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch= ;; esac',
    '[ -n "$arch" ] && [ -x /usr/bin/dpkg ] || arch=$(dpkg --print-architecture 2>/dev/null || uname -m)',
    'echo "O $ID $arch $(nproc) $((mem/1024)) $(($(stat -f -c %a*%S /var)/1048576)) ${VERSION_ID:-}"',
    `[ -r ${HOST_STATE}/owner ] && { read -r owner <${HOST_STATE}/owner; echo "W $owner"; }`,
    ...(packages.length > 0
      ? [
          'echo packages >"$d/stage"',
          `dpkg-query -W -f 'P \${Package} \${db:Status-Abbrev} \${Version}\\n' ${packages.map(quote).join(' ')} 2>/dev/null`,
        ]
      : []),
    ...(services.length > 0
      ? [
          'echo services >"$d/stage"',
          'echo S',
          `systemctl show -p LoadState,ActiveState,UnitFileState,Result ${services.map(({ name }) => quote(name)).join(' ')} 2>/dev/null`,
        ]
      : []),
    // Files that are read with the rights of others.
    'wait',
    ') </dev/null &',
    // Waited for first: it alone prints until then.
    'jobs=("M $!" "${jobs[@]}")',
    guard(probeSeconds),
    'for job in "${jobs[@]}"; do wait "${job#* }"; echo "${job%% *} $?"; done',
    'kill -KILL -- "-$guard"',
    'stage=files; [ -r "$d/stage" ] && read -r stage <"$d/stage"',
    'cd "$d" && for late in *.late; do [ -e "$late" ] && echo "X ${late%.late} $stage"; done',
    TELL,
    'echo',
    'echo E',
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether it stands for a fact that the configuration has no use for: it needs no process on the host. */
const asksNothing = (fact: Fact<unknown>): boolean => fact.kind === 'command' && [':', 'true'].includes(fact.run);

/** Ends what is late, and each second what prints without end. Of a look that is quick it costs two processes. */
const guard = (seconds: number) => `( for (( second = 1; second <= ${seconds}; second++ )); do
  sleep 1
  for job in "\${jobs[@]}"; do
    name=\${job%% *} group=\${job#* }
    kill -0 "$group" || continue
    if (( second == ${seconds} )); then echo >"$d/$name.late"
    else [ -n "$(find "$d/$name.out" -size +${MOST_BYTES / 1024}k)" ] || continue; fi
    kill -KILL -- "-$group"
  done
done ) >/dev/null 2>&1 </dev/null &
guard=$!`;

/** The answers with their sizes; of one that is too large, that it is. A file of others comes with a head, and a little more. */
const TELL = `set -- *.out && [ -e "$1" ] && while read -r name size; do
  if (( size > ${MOST_BYTES + MOST_BYTES / 4} )); then echo "L \${name%.out}"; : >"$name"; size=0; fi
  echo "Z $name $size"
done < <(stat -c '%n %s' "$@") && printf 'B ' && cat "$@" | base64 -w0`;

const backgroundWith =
  (reveal: (text: Text) => string) =>
  (kind: 'F' | 'H', index: number, command: string, env: Record<string, Text> = {}): string[] => {
    const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(reveal(value))}`);
    const name = `${kind}-${index}`;
    const errors = kind === 'H' ? `"$d/E-${index}.out"` : '/dev/null';
    // One that prints without end is stopped by the system before the guard has seen it.
    return ['(', 'ulimit -f 262144', ...exports, command, `) >>"$d/${name}.out" 2>${errors} </dev/null &`, `jobs+=("${name} $!")`];
  };

/** @param sizes its cores, and MiB of memory and of free disk */
const machineOf = (os: string, arch: string, [cores = 1, memoryMiB = 0, freeMiB = 0]: number[], version: string) => ({
  ...{ os, arch, cores, memoryMiB, freeMiB },
  ...(version && { release: `${os}-${version}` }),
});

/** Reads what the script printed. Throws when it did not come to its end. */
export function parseLook(look: Look, stdout: string): LookAnswer {
  const answer: LookAnswer = { os: 'unknown', arch: 'unknown', cores: 1, memoryMiB: 0, freeMiB: 0, facts: [], health: [] };
  const packages = new Map<string, string>();
  const services: Record<string, string>[] = [{}];
  const files = new Map<string, { head: string; size: number }>();
  const exits = new Map<string, number>();
  /** Indexes of files whose output begins with mode, owner and size. */
  const headed = new Set<number>();
  const faults = new Map<string, string>();
  const sizes: { name: string; size: number }[] = [];
  let printed = Buffer.alloc(0);
  let complete = false;
  for (const line of stdout.split('\n')) {
    const [kind = '', a = '', b = '', c = '', d = '', e = '', f = ''] = line.split(' ');
    if (kind === 'O') Object.assign(answer, machineOf(a, b, [c, d, e].map(Number), f));
    else if (kind === 'W') answer.owner = line.slice(2);
    else if (kind === 'P' && b.startsWith('ii')) packages.set(a, line.split(' ').at(-1) ?? '');
    else if (kind === 'T') files.set(line.split(' ').slice(4).join(' '), { head: `${a} ${b}`, size: Number(c) });
    else if (kind === 'R') headed.add(Number(a));
    else if (kind === 'Z') sizes.push({ name: a.replace(/\.out$/, ''), size: Number(b) });
    else if (kind === 'B') printed = Buffer.from(a, 'base64');
    else if (kind === 'E') complete = true;
    else if (kind === 'X' && /^[MS]$/.test(a)) answer.late = a === 'M' ? b : 'services';
    else if (kind === 'X') faults.set(a, `no answer within ${look.probeSeconds ?? PROBE_SECONDS} s, and it was ended`);
    else if (kind === 'L') faults.set(a, TOO_LARGE);
    else if (line === '') services.push({});
    else if (/^(LoadState|ActiveState|UnitFileState|Result)=/.test(line))
      Object.assign(services.at(-1) ?? {}, Object.fromEntries([line.split('=')]));
    else if (/^[FH]-\d+$/.test(kind)) exits.set(kind, Number(a));
  }
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (!complete || printed.length !== total) throw new Error('the look did not come to its end');
  const errors = new Map<number, string>();
  let from = 0;
  for (const { name, size } of sizes) {
    const [kind, index = ''] = name.split('-');
    const output = { exit: exits.get(name) ?? 0, stdout: printed.toString('utf8', from, from + size) };
    from += size;
    if (kind === 'E') errors.set(Number(index), output.stdout);
    else (kind === 'F' ? answer.facts : answer.health)[Number(index)] = output;
  }
  let service = 0;
  look.facts.forEach((fact, index) => {
    if (headed.has(index)) answer.facts[index] = withHead(answer.facts[index]?.stdout ?? '');
    if (fact.kind === 'package') answer.facts[index] = { exit: 0, stdout: packages.get(fact.name) ?? '' };
    const content = answer.facts[index]?.stdout;
    const file = fact.kind === 'file' ? files.get(fact.path) : undefined;
    if (file && content !== undefined) {
      answer.facts[index] = { exit: 0, stdout: `${file.head}\n${wholeOrOther(content, file.size)}` };
    }
    if (fact.kind === 'service') {
      const state = services[service++] ?? {};
      const fresh = fact.reads.length === 0 || answer.facts[index]?.stdout.trim() === 'fresh';
      answer.facts[index] = {
        exit: 0,
        stdout: JSON.stringify({
          active: ['active', 'reloading'].includes(state.ActiveState ?? ''),
          enabled: ['enabled', 'enabled-runtime', 'static', 'alias'].includes(state.UnitFileState ?? ''),
          stale: !fresh,
        }),
        ...notActive(state),
      };
    }
    const fault = file && file.size > MOST_BYTES ? TOO_LARGE : faults.get(`F-${index}`);
    if (fault) answer.facts[index] = { exit: 1, stdout: '', fault };
    if (asksNothing(fact)) answer.facts[index] = { exit: 0, stdout: '' };
    answer.facts[index] ??= { exit: 1, stdout: '' };
  });
  look.health.forEach((check, index) => {
    const fault = faults.get(`H-${index}`);
    if (fault) answer.health[index] = { exit: 1, stdout: '', fault };
    answer.health[index] ??= { exit: 1, stdout: '' };
    if ('http' in check) answer.health[index].stdout = asCurl(answer.health[index].stdout);
    const stderr = errors.get(index);
    if (stderr && !fault && answer.health[index].exit !== 0) answer.health[index].stderr = stderr;
  });
  return answer;
}

function notActive({ LoadState = '', ActiveState = '', Result = '' }: Record<string, string>): { unit?: UnitState } {
  if (ActiveState === '' || ['active', 'reloading'].includes(ActiveState)) return {};
  return { unit: { load: LoadState, active: ActiveState, result: Result } };
}

/** What was cut short, at a NUL or at the most that is read: whatever is wanted, this is something else. */
const wholeOrOther = (content: string, size: number): string => (Buffer.byteLength(content) === size ? content : `${content}\0`);

/** A file read with its owner's rights, who may have had a hand in what was printed. */
function withHead(printed: string): CommandOutput {
  const [, mode, owner, size, content = ''] = /^([0-7]{1,4}) (\S+:\S+) (\d+)\n([\s\S]*)$/.exec(printed) ?? [];
  if (!mode) return { exit: 1, stdout: '' };
  return { exit: 0, stdout: `${mode} ${owner}\n${wholeOrOther(content, Number(size))}` };
}
