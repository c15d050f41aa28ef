import { kindOf, type Step } from '../../../core/host/step.js';
import { CAUSE_LABELS } from '../journal/tell-cause.js';

/** Reported characters of a line, and reported lines. */
const LONGEST = 300;
const MOST_LINES = 3;

/** Lines that say why something failed, the best kind first: a later kind is reported only if an earlier kind has no line. */
const TELLING: readonly RegExp[] = [
  /address already in use|cannot assign requested address|no space left|read-only file system|out of memory|cannot allocate memory|too many open files/i,
  /permission denied|operation not permitted|access denied/i,
  /syntax error|unknown (directive|keyword|option|parameter|command)|unrecogni[sz]ed|bad directive|bad configuration|wrong number of arguments|pars(e|ing) error|invalid|unexpected/i,
  /dependency failed|timed out|timeout was exceeded|no such file|not found|cannot (open|load|find)|could not|missing/i,
  /\b(fatal|emerg|alert|crit|critical|panic|error)\b/i,
  /\bfailed\b/i,
];
/** A line that says neither where nor of what: those before it do. */
const BARE = /^[^\d'"/]+$/;

/** systemd's messages of each start and end, whatever the cause. */
const ROUTINE = [
  /^(Starting|Started|Stopping|Stopped|Reloading|Reloaded) /,
  /^Failed to (start|reload) .+ - /,
  /^\S+: (Deactivated successfully|Scheduled restart job|Consumed |Failed with result|Start request repeated|Control process exited|Main process exited)/,
  /^Job for \S+ (failed|canceled)/,
  /^See ("|')?(systemctl|journalctl)/,
  /^Hint: /,
];

/** Messages of apt and dpkg about a failure, and their common messages. */
const PACKAGE_SAYS = /^(E: |dpkg: error|\S+ : (Depends|Conflicts|Breaks): )/;
const PACKAGE_ENDS = /^E: Sub-process/;

/**
 * Why a step failed, out of what it printed: the most telling lines first, each once and as it was written.
 *
 * @param tail the last lines that were printed, masked
 */
export function findCause(step: Step | undefined, exit: number, tail: string): string {
  const lines = tail
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const kind = step && kindOf(step);
  // A line that begins with … was cut: its beginning can be half a secret.
  if (kind === 'service')
    return causeOfService(
      exit,
      lines.filter((line) => !line.startsWith('…')),
    );
  if (kind === 'package') {
    const said = distinct(lines.filter((line) => PACKAGE_SAYS.test(line)));
    const telling = said.filter((line) => !PACKAGE_ENDS.test(line));
    if (said.length > 0) return joined((telling.length > 0 ? telling : said).map((line) => line.replace(/^E: /, '')));
  }
  const last = distinct(lines).slice(-6);
  return `exit code ${exit}${last.length > 0 ? `: ${last.join(' | ').slice(-1500)}` : ''}`;
}

function causeOfService(exit: number, lines: readonly string[]): string {
  const cause = causeAmong(lines);
  if (cause !== undefined) return cause;
  const said = lines.map((line) => line.replace(LABEL, ''));
  const ended =
    said.find((line) => /: (Main|Control) process exited/.test(line)) ?? said.find((line) => /^Job for/.test(line)) ?? said.at(-1);
  return `exit code ${exit}${ended ? `: ${ended.slice(0, LONGEST)}` : ''}`;
}

const LABEL = new RegExp(`^(${Object.values(CAUSE_LABELS).join('|')})`);

/** Why a service does not run, out of what systemd and `scriptCause` printed, masked; undefined where nothing there says it. */
export function causeAmong(lines: readonly string[]): string | undefined {
  const labelled = (label: string) => lines.flatMap((line) => (line.startsWith(label) ? [line.slice(label.length).trim()] : []));
  const printed = lines.filter((line) => !LABEL.test(line));
  // Systemd refuses to start it at all: nothing else can say more.
  const refused = printed.map(refusalOf).find((text) => text !== undefined);
  if (refused) return joined([refused]);
  const said = distinct([...printed, ...labelled(CAUSE_LABELS.log), ...labelled(CAUSE_LABELS.journal)]);
  const [first, ...others] = mostTelling(said.filter((line) => !ROUTINE.some((pattern) => pattern.test(line))));
  if (!first) return undefined;
  const holders = labelled(CAUSE_LABELS.holder).flatMap((line) => holderOf(line) ?? []);
  return joined([first, ...holders.slice(0, 1), ...others]);
}

/** `Failed to start haproxy.service: Unit haproxy.service is masked.`: what comes behind the verb. */
function refusalOf(line: string): string | undefined {
  return /^Failed to \S+ (?:unit|\S+\.\w+): ((?:Unit|Access|Connection) .+?)\.?$/.exec(line)?.[1];
}

/** A line of `ss`, as a sentence. */
function holderOf(line: string): string | undefined {
  const [, port, name, pid] = /^LISTEN\s+\d+\s+\d+\s+\S+:(\d+)\s.*?users:\(\("(.*?)",pid=(\d+)/.exec(line) ?? [];
  return port && `port ${port} is held by ${name} (pid ${pid})`;
}

/** The lines of the most telling kind; where no kind is known, the last ones. */
function mostTelling(lines: readonly string[]): string[] {
  const kindOfLine = (line: string) => TELLING.findIndex((pattern) => pattern.test(line));
  const best = TELLING.findIndex((_, kind) => lines.some((line) => kindOfLine(line) === kind));
  if (best < 0) return lines.slice(-MOST_LINES);
  const telling = lines.filter((line) => kindOfLine(line) === best);
  const [first = ''] = telling;
  const at = lines.indexOf(first);
  return BARE.test(first) ? [first, ...lines.slice(Math.max(0, at + 1 - MOST_LINES), at)] : telling;
}

/** Each line once, whenever and by whichever process it was written. */
function distinct(lines: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const line of lines) {
    const key = line
      .replace(/\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?\b|\b\d{4}[-/]\d{2}[-/]\d{2}T?|\b\d{1,2} [A-Z][a-z]{2} \d{4}\b/g, '')
      .replace(/^\d+:[A-Z] |\(\d+\)|\[\d+\]|\bpid \d+|\b\d+#\d+:/g, '')
      .replace(/\s+/g, ' ');
    if (!seen.has(key)) seen.set(key, line);
  }
  return [...seen.values()];
}

const joined = (lines: readonly string[]): string =>
  lines
    .slice(0, MOST_LINES)
    .map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line))
    .join(' | ');
