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
 * The script of a look. Packages and services are asked in one call each;
 * commands and health checks run side by side. Each answer is one line:
 * kind, index, exit code, base64 of standard output.
 */
export function renderLook({ facts, health }: Look): string {
  const packages = facts.flatMap((fact) => (fact.kind === 'package' ? [fact.name] : []));
  const services = facts.flatMap((fact) => (fact.kind === 'service' ? [fact] : []));
  const lines = [
    'export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'd=$(mktemp -d /run/provisioning.XXXXXX 2>/dev/null || mktemp -d) || exit 90',
    `trap 'rm -rf "$d"' EXIT`,
    ...facts.flatMap((fact, index) => renderFact(fact, index)),
    ...health.flatMap((check, index) => background('H', index, healthCommand(check), 'env' in check ? check.env : undefined)),
    '. /etc/os-release',
    'read -r _ mem _ </proc/meminfo',
    'free=$(df -Pk /var | tail -n 1 | { read -r _ _ _ free _; echo "$free"; })',
    'arch=$(dpkg --print-architecture 2>/dev/null || uname -m)',
    'echo "O $ID $arch $(nproc) $((mem/1024)) $((free/1024))"',
    `[ -r ${HOST_STATE}/owner ] && echo "W $(cat ${HOST_STATE}/owner)"`,
    ...(packages.length > 0
      ? [`dpkg-query -W -f 'P \${Package} \${db:Status-Abbrev} \${Version}\\n' ${packages.map(quote).join(' ')} 2>/dev/null`]
      : []),
    ...(services.length > 0
      ? [
          `systemctl show -p ActiveState,UnitFileState ${services.map(({ name }) => quote(name)).join(' ')} 2>/dev/null | while IFS= read -r line; do echo "S $line"; done`,
        ]
      : []),
    'wait',
    'cd "$d" && for out in *.out; do [ -e "$out" ] || continue; n=${out%.out}; read -r code <"$n.code"; echo "${n%%-*} ${n##*-} $code $(base64 -w0 <"$out")"; done',
    'echo E',
  ];
  return `${lines.join('\n')}\n`;
}

function renderFact(fact: Fact<unknown>, index: number): string[] {
  switch (fact.kind) {
    case 'command':
      return background('F', index, fact.run, fact.env);
    case 'file': {
      const path = quote(fact.path);
      return background('F', index, `[ -e ${path} ] || exit 44; stat -L -c '%a %U:%G' -- ${path}; cat -- ${path}`);
    }
    case 'service':
      return fact.reads.length > 0 ? background('F', index, staleCommand(fact.name, fact.reads)) : [];
    case 'package':
      return [];
  }
}

function background(kind: 'F' | 'H', index: number, command: string, env: Record<string, string> = {}): string[] {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const file = `"$d/${kind}-${index}`;
  return ['(', `( ${exports.join('; ')}`, command, `) >${file}.out" 2>/dev/null </dev/null`, `echo $? >${file}.code"`, ') &'];
}

/** Prints `fresh` when the service last started with what its files hold now. */
function staleCommand(service: string, reads: readonly string[]): string {
  return `[ "$(${readsHash(reads)})" = "$(cat ${HOST_STATE}/services/${quote(service)} 2>/dev/null)" ] && echo fresh`;
}

/** A shell expression that prints one hash over the files a service reads, missing ones included. */
export function readsHash(reads: readonly string[]): string {
  return `{ sha256sum -- ${reads.map(quote).join(' ')} 2>&1 || true; } | sha256sum | cut -d' ' -f1`;
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
  let complete = false;
  for (const line of stdout.split('\n')) {
    const [kind, a = '', b = '', c = '', d = '', e = ''] = line.split(' ');
    if (kind === 'O') Object.assign(answer, { os: a, arch: b, cores: Number(c), memoryMiB: Number(d), freeMiB: Number(e) });
    else if (kind === 'W') answer.owner = line.slice(2);
    else if (kind === 'P' && b.startsWith('ii')) packages.set(a, line.split(' ').at(-1) ?? '');
    else if (kind === 'S') {
      if (line.trim() === 'S') services.push({});
      else Object.assign(services.at(-1) ?? {}, Object.fromEntries([line.slice(2).split('=') as [string, string]]));
    } else if (kind === 'F' || kind === 'H') {
      const output = { exit: Number(b), stdout: Buffer.from(c, 'base64').toString('utf8') };
      (kind === 'F' ? answer.facts : answer.health)[Number(a)] = output;
    } else if (kind === 'E') complete = true;
  }
  if (!complete) throw new Error('the look did not come to its end');
  let service = 0;
  look.facts.forEach((fact, index) => {
    if (fact.kind === 'package') answer.facts[index] = { exit: 0, stdout: packages.get(fact.name) ?? '' };
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
