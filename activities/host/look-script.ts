import type { CommandOutput, Fact } from '../../core/facts.js';
import { quote } from '../../core/shell.js';
import type { HealthCheck } from '../../core/taskserv.js';
import { HOST_STATE } from './paths.js';

/** What one look asks of a host: facts and health checks, all in one remote execution. */
export interface Look {
  facts: Fact<unknown>[];
  health: HealthCheck[];
}

/** The raw answers, in the order asked. */
export interface LookAnswer {
  os: string;
  arch: string;
  cores: number;
  memoryMiB: number;
  /** Free space where packages and journals go. */
  freeMiB: number;
  /** `<uuid> <workspace> <infra>` of the infra that manages the host. */
  owner?: string;
  facts: CommandOutput[];
  health: CommandOutput[];
}

/** Seconds that a single fact or health check may take. */
const PROBE_SECONDS = 10;

/**
 * The script of a look. Packages, services and files are asked in one call each;
 * commands and health checks run side by side. Few processes: on a small host
 * starting them is what a look costs. What each answered is told with its size;
 * the answers themselves follow in one piece, as base64.
 */
export function renderLook({ facts, health }: Look): string {
  const packages = facts.flatMap((fact) => (fact.kind === 'package' ? [fact.name] : []));
  const services = facts.flatMap((fact) => (fact.kind === 'service' ? [fact] : []));
  const files = facts.flatMap((fact) => (fact.kind === 'file' ? [quote(fact.path)] : []));
  const lines = [
    'export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'd=$(mktemp -d /run/provisioning.XXXXXX 2>/dev/null || mktemp -d) || exit 90',
    `trap 'rm -rf "$d"' EXIT`,
    'jobs=()',
    ...health.flatMap((check, index) => background('H', index, healthCommand(check), 'env' in check ? check.env : undefined)),
    ...facts.flatMap((fact, index) => (fact.kind === 'command' ? background('F', index, fact.run, fact.env) : [])),
    ...staleness(facts),
    ...facts.flatMap((fact, index) => (fact.kind === 'file' ? [`file ${index} ${quote(fact.path)}`] : [])),
    ...(files.length > 0 ? [`stat -L -c 'T %a %U:%G %s %n' -- ${files.join(' ')} 2>/dev/null`] : []),
    '. /etc/os-release',
    'read -r _ mem _ </proc/meminfo',
    'arch=$(dpkg --print-architecture 2>/dev/null || uname -m)',
    'echo "O $ID $arch $(nproc) $((mem/1024)) $(($(stat -f -c %a*%S /var)/1048576))"',
    `[ -r ${HOST_STATE}/owner ] && { read -r owner <${HOST_STATE}/owner; echo "W $owner"; }`,
    ...(packages.length > 0
      ? [`dpkg-query -W -f 'P \${Package} \${db:Status-Abbrev} \${Version}\\n' ${packages.map(quote).join(' ')} 2>/dev/null`]
      : []),
    ...(services.length > 0
      ? ['echo S', `systemctl show -p ActiveState,UnitFileState ${services.map(({ name }) => quote(name)).join(' ')} 2>/dev/null`]
      : []),
    'for job in "${jobs[@]}"; do wait "${job#* }"; echo "${job%% *} $?"; done',
    'wait',
    `cd "$d" && set -- *.out && [ -e "$1" ] && stat -c 'Z %n %s' "$@" && printf 'B ' && cat "$@" | base64 -w0`,
    'echo',
    'echo E',
  ];
  return `${FILE}\n${lines.join('\n')}\n`;
}

/** Copies a file without starting a process. What comes after a NUL is missed: the size then tells. */
const FILE = `file() { [ -f "$2" ] && [ -r "$2" ] || return; local content=; IFS= read -r -d '' content <"$2"; printf %s "$content" >"$d/F-$1.out"; }`;

function background(kind: 'F' | 'H', index: number, command: string, env: Record<string, string> = {}): string[] {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const name = `${kind}-${index}`;
  return ['(', ...exports, command, `) >"$d/${name}.out" 2>/dev/null </dev/null &`, `jobs+=("${name} $!")`];
}

/** Says `fresh` for each service that last started with what its files hold now. */
function staleness(facts: Fact<unknown>[]): string[] {
  const questions = facts.flatMap((fact, index) =>
    fact.kind === 'service' && fact.reads.length > 0
      ? [
          `read -r was <${HOST_STATE}/services/${quote(fact.name)} && [ "$(${readsHash(fact.reads)})" = "$was" ] && echo fresh >"$d/F-${index}.out"`,
        ]
      : [],
  );
  return questions.length > 0 ? ['(', ...questions, ') >/dev/null 2>&1 </dev/null &'] : [];
}

/** A shell expression that prints one hash over the files a service reads, missing ones included. */
export function readsHash(reads: readonly string[]): string {
  return `{ sha256sum -- ${reads.map(quote).join(' ')} 2>&1 || true; } | sha256sum | { read -r hash _; echo "$hash"; }`;
}

function healthCommand(check: HealthCheck): string {
  if ('command' in check) return check.command;
  if ('tcp' in check) return `timeout 3 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${check.tcp}'`;
  return `curl -sS -o - -w '\\n%{http_code}' --max-time ${PROBE_SECONDS / 2} ${quote(check.http)} 2>&1 | tail -c 65536`;
}

/** Reads what the script printed. Throws when it did not come to its end. */
export function parseLook(look: Look, stdout: string): LookAnswer {
  const answer: LookAnswer = { os: 'unknown', arch: 'unknown', cores: 1, memoryMiB: 0, freeMiB: 0, facts: [], health: [] };
  const packages = new Map<string, string>();
  const services: Record<string, string>[] = [{}];
  const files = new Map<string, { head: string; size: number }>();
  const exits = new Map<string, number>();
  const sizes: { name: string; size: number }[] = [];
  let printed = Buffer.alloc(0);
  let complete = false;
  for (const line of stdout.split('\n')) {
    const [kind = '', a = '', b = '', c = '', d = '', e = ''] = line.split(' ');
    if (kind === 'O') Object.assign(answer, { os: a, arch: b, cores: Number(c), memoryMiB: Number(d), freeMiB: Number(e) });
    else if (kind === 'W') answer.owner = line.slice(2);
    else if (kind === 'P' && b.startsWith('ii')) packages.set(a, line.split(' ').at(-1) ?? '');
    else if (kind === 'T') files.set(line.split(' ').slice(4).join(' '), { head: `${a} ${b}`, size: Number(c) });
    else if (kind === 'Z') sizes.push({ name: a.replace(/\.out$/, ''), size: Number(b) });
    else if (kind === 'B') printed = Buffer.from(a, 'base64');
    else if (kind === 'E') complete = true;
    else if (line === '') services.push({});
    else if (/^(ActiveState|UnitFileState)=/.test(line))
      Object.assign(services.at(-1) ?? {}, Object.fromEntries([line.split('=')]));
    else if (/^[FH]-\d+$/.test(kind)) exits.set(kind, Number(a));
  }
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (!complete || printed.length !== total) throw new Error('the look did not come to its end');
  let from = 0;
  for (const { name, size } of sizes) {
    const [kind, index = ''] = name.split('-');
    const output = { exit: exits.get(name) ?? 0, stdout: printed.toString('utf8', from, from + size) };
    (kind === 'F' ? answer.facts : answer.health)[Number(index)] = output;
    from += size;
  }
  let service = 0;
  look.facts.forEach((fact, index) => {
    if (fact.kind === 'package') answer.facts[index] = { exit: 0, stdout: packages.get(fact.name) ?? '' };
    const content = answer.facts[index]?.stdout;
    const file = fact.kind === 'file' ? files.get(fact.path) : undefined;
    if (file && content !== undefined) {
      // Cut short at a NUL: whatever is wanted, this is something else.
      const whole = Buffer.byteLength(content) === file.size;
      answer.facts[index] = { exit: 0, stdout: `${file.head}\n${content}${whole ? '' : '\0'}` };
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
      };
    }
    answer.facts[index] ??= { exit: 1, stdout: '' };
  });
  look.health.forEach((_, index) => {
    answer.health[index] ??= { exit: 1, stdout: '' };
  });
  return answer;
}
