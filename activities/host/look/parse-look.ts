import { parseCurlExit } from './look-checks.js';
import { MOST_BYTES } from './look-files.js';
import {
  asksNothing,
  type Look,
  type LookAnswer,
  PROBE_SECONDS,
  type ScriptAnswer,
  TOO_LARGE,
  type UnitState,
} from './look-script.js';

/** @param sizes number of cores, and MiB of memory and of free disk */
const machineOf = (os: string, arch: string, [cores = 1, memoryMiB = 0, freeMiB = 0]: number[], version: string) => ({
  ...{ os, arch, cores, memoryMiB, freeMiB },
  ...(version && { release: `${os}-${version}` }),
});

/** Reads what the script printed. Throws when it did not come to its end. */
export function parseLook(look: Look, stdout: string): LookAnswer {
  const answer: LookAnswer = { os: 'unknown', arch: 'unknown', cores: 1, memoryMiB: 0, freeMiB: 0, facts: [], health: [] };
  /** Their versions, with a word behind that of a package on hold. */
  const packages = new Map<string, string>();
  const services: Record<string, string>[] = [{}];
  /** By the index of the fact. */
  const files = new Map<number, { head: string; size: number }>();
  /** Those asked for below an account's home, by the index of the fact. */
  const paths = new Map<number, string>();
  const exits = new Map<string, number>();
  const faults = new Map<string, string>();
  const texts = new Map<string, string>();
  const sizes: { name: string; size: number }[] = [];
  let printed = Buffer.alloc(0);
  let complete = false;
  let lookedFor = 0;
  for (const [line, text] of records(stdout)) {
    const [kind = '', a = '', b = '', c = '', d = '', e = '', f = ''] = line.split(' ');
    if (kind === 'O') Object.assign(answer, machineOf(a, b, [c, d, e].map(Number), f));
    else if (kind === 'P' && /^.i/.test(b)) packages.set(a, `${line.split(' ').at(-1)}${b.startsWith('h') ? ' held' : ''}`);
    else if (kind === 'T') files.set(Number(a), { head: `${b} ${c}`, size: Number(d) });
    else if (kind === 'N') paths.set(Number(a), Buffer.from(b, 'hex').toString());
    else if (kind === 'Y') texts.set(a.replace(/\.out$/, ''), text);
    else if (kind === 'U') texts.set(a, Buffer.from(text, 'hex').toString());
    else if (kind === 'Z') sizes.push({ name: a.replace(/\.out$/, ''), size: Number(b) });
    else if (kind === 'B') printed = Buffer.from(a, 'base64');
    else if (kind === 'D') lookedFor += Number(a);
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
  if (!complete || printed.length !== total) throw new Error('the look at the host did not finish');
  if (answer.late === undefined && lookedFor !== look.facts.filter(({ kind }) => kind === 'file').length)
    throw new Error('the host could not read the files; perl may be missing');
  const errors = new Map<number, string>();
  for (const [name, text] of [...texts, ...divided(printed, sizes)]) {
    const [kind, index = ''] = name.split('-');
    const output = { exit: exits.get(name) ?? 0, stdout: text };
    if (kind === 'E') errors.set(Number(index), output.stdout);
    else (kind === 'F' ? answer.facts : answer.health)[Number(index)] = output;
  }
  let service = 0;
  look.facts.forEach((fact, index) => {
    if (fact.kind === 'package') answer.facts[index] = { exit: 0, stdout: packages.get(fact.name) ?? '' };
    const content = answer.facts[index]?.stdout;
    const file = files.get(index);
    if (file && content !== undefined) {
      answer.facts[index] = { exit: 0, stdout: `${file.head}\n${wholeOrOther(content, file.size)}` };
    }
    if (fact.kind === 'service') {
      const state = services[service++] ?? {};
      const fresh = fact.reads.length === 0 || answer.facts[index]?.stdout.trim() === 'fresh';
      answer.facts[index] = serviceAnswer(state, fresh);
    }
    const fault = file && file.size > MOST_BYTES ? TOO_LARGE : faults.get(`F-${index}`);
    if (fault) answer.facts[index] = { exit: 1, stdout: '', fault };
    if (asksNothing(fact)) answer.facts[index] = { exit: 0, stdout: '' };
    answer.facts[index] ??= { exit: 1, stdout: '' };
    const path = paths.get(index);
    if (path !== undefined) answer.facts[index].path = path;
  });
  look.health.forEach((check, index) => {
    const fault = faults.get(`H-${index}`);
    if (fault) answer.health[index] = { exit: 1, stdout: '', fault };
    answer.health[index] ??= { exit: 1, stdout: '' };
    if ('http' in check) answer.health[index].stdout = parseCurlExit(answer.health[index].stdout);
    const stderr = errors.get(index);
    if (stderr && !fault && answer.health[index].exit !== 0) answer.health[index].stderr = stderr;
  });
  return answer;
}

/** The lines of what was printed, and with a line `Y NAME LENGTH` (or `U`) the text of that length that follows, whatever it looks like. */
function* records(stdout: string): Generator<[line: string, text: string]> {
  for (let from = 0; from <= stdout.length; ) {
    const end = stdout.indexOf('\n', from);
    const line = stdout.slice(from, end === -1 ? stdout.length : end);
    from += line.length + 1;
    const [, length] = /^[YU] \S+ (\d+)$/.exec(line) ?? [];
    yield [line, length === undefined ? '' : stdout.slice(from, from + Number(length))];
    if (length !== undefined) from += Number(length) + 1;
  }
}

/** Splits joined output, by name. */
function divided(printed: Buffer, sizes: readonly { name: string; size: number }[]): [name: string, text: string][] {
  let from = 0;
  return sizes.map(({ name, size }) => {
    const text = printed.toString('utf8', from, from + size);
    from += size;
    return [name, text];
  });
}

/** systemd's state of a unit, as the output of its fact. */
function serviceAnswer(state: Record<string, string>, fresh: boolean): ScriptAnswer {
  const stdout = JSON.stringify({
    active: ['active', 'reloading'].includes(state.ActiveState ?? ''),
    enabled: ['enabled', 'enabled-runtime', 'static', 'alias'].includes(state.UnitFileState ?? ''),
    stale: !fresh,
  });
  return { exit: 0, stdout, ...notActive(state) };
}

function notActive({ LoadState = '', ActiveState = '', Result = '' }: Record<string, string>): { unit?: UnitState } {
  if (ActiveState === '' || ['active', 'reloading'].includes(ActiveState)) return {};
  return { unit: { load: LoadState, active: ActiveState, result: Result } };
}

/** A text that is not the whole file, because it was shortened or is not UTF-8. It differs from any wanted content. */
const wholeOrOther = (content: string, size: number): string => (Buffer.byteLength(content) === size ? content : `${content}\0`);
