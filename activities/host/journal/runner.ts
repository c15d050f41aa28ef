import { fingerprint } from '../../../core/encoding/hash.js';
import { HOST_PATH_FUNCTIONS, HOST_PATHS } from '../../../core/host/host-paths.js';
import { quote } from '../../../core/host/shell.js';
import { HOST_STATE } from '../paths.js';
import { probe } from './host-fault.js';
import { endSuperseded, type HostFence } from './host-fence.js';
import { NOTE_BEGIN } from './share-guard.js';

/** One piece of bash with a name, run at most once per journal. */
export interface Item {
  index: number;
  title: string;
  body: string;
}

/** A file that must lie in the journal before the items run: scripts, environments, contents. Root-only. */
export interface Payload {
  name: string;
  content: string | Uint8Array;
  /** Secrets in it, if it is cleared at the end of the work and needed again to undo it. */
  secrets?: string[];
}

export interface Work {
  /** The journal's folder on the host. */
  journal: string;
  /**
   * Mark of the platform's lines, random for this delivery. Running work has the mark of its own delivery, in the
   * journal.
   */
  nonce: string;
  items: Item[];
  payloads: Payload[];
  /** Bash run after all items succeeded. */
  finish?: string;
  /** Bash run however the work ends: clears what holds secrets. */
  clear?: string;
  /** Pauses that are over: the one that follows ends the work before its next item. */
  pauses?: number;
  /** Under which grant it is done; a later one ends it before its next item. */
  fence?: HostFence;
}

/** Work whose runner is already on the host, as for undoing earlier work. */
export interface PreparedWork {
  journal: string;
  nonce: string;
  /** Path of the runner on the host; where it is missing the work ends as `none`: there is no journal. */
  runner: string;
  /** Bash run first. */
  before: string;
  /** Bash run where the work is not at it already, before it is started. */
  deliver: string;
}

/**
 * Script that starts work, or attaches to running work, and streams it from its beginning.
 *
 * The work is detached and outlives the connection and the worker. The host's lock allows one work at a time. Finished
 * items never run twice.
 *
 * Journal: `steps` (start/done lines, synced), `stream` (all output and events), `pid` (of the runner, with its start
 * time), `nonce` (the mark of its events), `end` (how it ended).
 */
export function renderAttach({ journal, nonce, items, payloads, finish = '', clear = '', pauses = 0, fence }: Work): string {
  const files = payloads
    .map(({ name, content }) => `  base64 -d >"$J/files/${name}" <<'EOB' || exit 91\n${encode(content)}\nEOB\n`)
    .join('');
  const runner = encode(renderRunner({ journal, nonce, items, finish, clear, pauses, fence }));
  return attach(journal, nonce, `${files}  base64 -d >"$J/runner" <<'EOB' || exit 91\n${runner}\nEOB`);
}

/** The same for work whose runner is already on the host. */
export function renderAttachPrepared({ journal, nonce, runner, before, deliver }: PreparedWork): string {
  return `[ -e ${quote(runner)} ] || { printf '\\n%s end none\\n' ${nonce}; exit 0; }\n${before}\n${attach(journal, nonce, `${deliver}  cp ${quote(runner)} "$J/runner" || exit 91`)}`;
}

/** The mark that runners of a former version have, whose journals hold none. */
const formerNonce = (journal: string) => `@${fingerprint(journal)}`;

function attach(journal: string, nonce: string, deliver: string): string {
  return `set -u
umask 077
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
J=${quote(journal)}
mkdir -p "$J/former" "$J/files" || exit 91
exec 9>"$J/start.lock"; flock 9
alive() { [ -r "$J/pid" ] && read -r pid born <"$J/pid" && [ "$(cut -d' ' -f22 "/proc/$pid/stat" 2>/dev/null)" = "$born" ]; }
if ! { [ -r "$J/end" ] && [ "$(cat "$J/end")" = ok ]; } && ! alive; then
  rm -f "$J/end" "$J/pid" "$J/cancel" "$J/nonce"; : >"$J/stream"
${deliver}
  # In a subshell, so that init reaps it: as our zombie it would look alive to tail forever.
  ( setsid bash "$J/runner" >>"$J/stream" 2>&1 </dev/null 9>&- & )
  for _ in $(seq 200); do [ -s "$J/pid" ] && break; sleep 0.02; done
fi
flock -u 9
# Before anything of the stream: what runs there may have been delivered by another connection.
marked=; [ ! -r "$J/nonce" ] || read -r marked <"$J/nonce"
printf '\\n%s stream %s\\n' ${nonce} "\${marked:-${formerNonce(journal)}}"
if alive; then tail -n +1 -s 0.1 --pid="$pid" -f "$J/stream"; else cat "$J/stream"; fi
# On a full disk the stream loses its end.
[ -s "$J/end" ] || { ${probe('"$J"')}; }
`;
}

/** Bash that writes a text to a file on the host. */
export const deliver = (path: string, text: string) => `base64 -d >${quote(path)} <<'EOB' || exit 91\n${encode(text)}\nEOB`;

/** For a here-document. */
export const encode = (content: string | Uint8Array) =>
  Buffer.from(content as string)
    .toString('base64')
    .replace(/(.{1,120})/g, '$1\n')
    .trimEnd();

/** Bytes of the stream in which a host keeps what steps print. */
export const MOST_STREAM = 64 * 1024 ** 2;

/** Passes on the output. Beyond the limit it passes only whole lines that are events. */
const PASS_ON = `$SIG{TERM} = $SIG{INT} = $SIG{HUP} = "IGNORE"; $left = ${MOST_STREAM};
while (sysread STDIN, $text, 65536) {
  if ($left > 0) {
    $left -= length $text;
    if ($left <= 0) { $text =~ s/([^\\n]*)\\z//; $rest = $1; $text .= "… more than ${MOST_STREAM / 1024 ** 2} MiB of output: the rest is left out\\n" }
    syswrite STDOUT, $text;
    next;
  }
  $rest .= $text; $text = "";
  while ($rest =~ s/\\A([^\\n]*)\\n//) { $text .= "\\n$1\\n" if index($1, "$ENV{MARK} ") == 0 }
  $rest = "-" if length $rest > 4096;
  syswrite STDOUT, $text;
}`;

/**
 * Output of steps goes to the stream through a pipe. If the stream itself were their output, a program of another user
 * could empty it with its open file. The filter drops output that cannot be written, on a full disk, so the steps
 * continue. `finished` waits until everything is written, or one second if a program that a step left still holds the
 * pipe. Beyond `MOST_STREAM` only events are written, so steps fill no disk. The mark is in the environment of the
 * filter, which only root can read.
 */
const byAPipe = (nonce: string): string => `exec 5>&1
coproc OUTPUT { exec 6>&1 1>&5 5>&- 2>/dev/null; export MARK=${nonce}; exec perl -e '${PASS_ON}'; }
exec 7<&"\${OUTPUT[0]}" 1>&"\${OUTPUT[1]}" 2>&1 5>&-
eval "exec \${OUTPUT[0]}<&- \${OUTPUT[1]}>&-"
finished() { exec 1>/dev/null 2>&1; read -r -t 1 -u 7; }`;

/** The script that does the work; `head` is bash put before the items. */
export function renderRunner({
  journal,
  nonce,
  items,
  finish = '',
  clear = '',
  head = '',
  pauses,
  fence,
}: Omit<Work, 'payloads'> & { head?: string }): string {
  return `J=${quote(journal)}
${head}
umask 022
export LC_ALL=C DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
( umask 077; echo ${nonce} >"$J/nonce" )
echo "$$ $(cut -d' ' -f22 /proc/$$/stat)" >"$J/pid"
${NOTE_BEGIN}
${byAPipe(nonce)}
exec 8>${HOST_STATE}/lock; flock 8
event() { printf '\\n%s %s\\n' ${nonce} "$*"; }
mark() { echo "$*" >>"$J/steps" && sync "$J/steps"; }
clear() { :; ${clear}
}
end() { clear; echo "$1" >"$J/end"; sync "$J/end"; event end "$@"; finished; exit 0; }
between() {
  [ -e "$J/cancel" ] && end canceled
  ${pauses === undefined ? ':' : `[ -e "$J/pause.${pauses + 1}" ] && end paused`}${fence ? `\n  ${endSuperseded(fence)}` : ''}
}
item() {
  if grep -qx "done $1" "$J/steps" 2>/dev/null; then event past "$1"; return; fi
  between
  event start "$1"; mark "start $1" || end 91
  ( set -euo pipefail; exec 7<&- 8>&-; "item_$1" ) </dev/null
  code=$?
  if [ $code -ne 0 ]; then event failed "$1" "$code"; end failed; fi
  mark "done $1" || end 91; event done "$1"
}
${HOST_PATHS}
export -f ${HOST_PATH_FUNCTIONS.join(' ')}
${items.map(({ index, body }) => `item_${index}() {\n:\n${body}\n}`).join('\n')}
${items.map(({ index }) => `item ${index}`).join('\n')}
${finish}
end ok
`;
}

/** Events of the stream, line by line. */
export type RunnerEvent =
  | { event: 'start' | 'done' | 'past' | 'confirm'; index: number }
  /** A share of the step expired before it began. `failed` follows. */
  | { event: 'expired'; index: number }
  | { event: 'failed'; index: number; exit: number }
  /** `seen`: the later grant on account of which it ended, or was not begun. */
  | { event: 'end'; how: string; seen?: number }
  /** The journal keeps former contents of files. */
  | { event: 'kept' }
  /** `more`: the line goes on with the next event. */
  | { event: 'output'; text: string; more?: true };

/** Maximum length of a line in characters. Each piece of a longer line counts as a line. */
const MAX_LINE = 64 * 1024;

/**
 * Splits a stream into events; feed it chunks as they come. A line without end is handed on in pieces.
 *
 * @param delivered the mark of this connection, under which the host says once which mark the stream has
 */
export function eventReader(delivered: string, onEvent: (event: RunnerEvent) => void): (chunk: string) => void {
  let nonce = delivered;
  let isSaid = false;
  let rest = '';
  /** Pieces of the line have been handed on. */
  let goesOn = false;
  const read = (line: string) => {
    if (goesOn || !line.startsWith(`${nonce} `)) {
      if (line !== '' || goesOn) onEvent({ event: 'output', text: line });
      goesOn = false;
      return;
    }
    const [, name = '', first = '', second = ''] = line.split(' ');
    if (name === 'stream' && !isSaid) {
      isSaid = true;
      nonce = first;
    } else if (name === 'end') onEvent({ event: 'end', how: first, ...(second && { seen: Number(second) }) });
    else if (name === 'kept') onEvent({ event: 'kept' });
    else if (name === 'failed') onEvent({ event: 'failed', index: Number(first), exit: Number(second) });
    else onEvent({ event: name as 'start', index: Number(first) });
  };
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) read(line);
    if (rest.length <= MAX_LINE) return;
    if (goesOn || !rest.startsWith(`${nonce} `)) {
      goesOn = true;
      onEvent({ event: 'output', text: rest, more: true });
    }
    rest = '';
  };
}
