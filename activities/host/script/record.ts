import { cancellationSignal } from '@temporalio/activity';
import { unreachableError } from '../../../core/errors.js';
import { markIn } from '../../../core/host/foreign-host.js';
import { VOLUMES_UNIT } from '../../../core/host/volumes-unit.js';
import type { HostRecord, JournaledService } from '../../../core/recovery/host-record.js';
import type { Sealer } from '../journal/sealed-journal.js';
import { HOST_STATE } from '../paths.js';
import { SHORT_MS } from '../time-limits.js';
import { proves } from './owner.js';
import type { ScriptedHost } from './scripted-host.js';

/** Milliseconds for the way to a host and its answer. */
const WITHIN_MS = 30_000;
/** Bytes of what journals say that are taken: about 15,000 journals. 500 operations are kept, each with one for every service. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Reported services of one host. */
const MOST_SERVICES = 100;

/** Prints mark and proof, then of each journal when its files were written and their first lines. Changes nothing. */
const SCRIPT = `export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
cd ${HOST_STATE} 2>/dev/null || { echo J; echo E; exit 0; }
[ ! -s owner ] || echo "O $(head -c 400 owner | base64 -w0)"
[ ! -s owner.sealed ] || echo "P $(head -c 4000 owner.sealed | tr -d '\\n')"
echo J
journals() { [ ! -d operations ] || find operations -mindepth 4 -maxdepth 5 -type f -size -8 \\( -name steps -o -name end -o -path '*/files/brings' \\) "$@"; }
{ journals -printf 'T %T@ %p\\n'; journals ! -name steps -exec grep -aHm1 '' {} + | sed 's/^/C /'; } | head -c ${MOST_BYTES}
echo
echo E
`;

/**
 * Reads the owner in a host's record, and the services in its journals. Root on the host can have written everything
 * except the proof. Data in another form is ignored, and the data concerns only this host.
 */
export async function readRecord(host: ScriptedHost, sealer: Sealer): Promise<Pick<HostRecord, 'mark' | 'services'>> {
  const transport = await host.open();
  const options = { signal: cancellationSignal(), limitMs: SHORT_MS, withinMs: WITHIN_MS };
  const { stdout, stderr, exit } = await transport.exec(SCRIPT, options);
  const lines = stdout.split('\n');
  if (lines.findLast(Boolean) !== 'E') {
    const why = stderr.trim().slice(-300) || `the script ended with code ${exit}`;
    throw unreachableError({ code: 'look-broken', what: 'read who manages the host', on: host.server, why });
  }
  // Names of files follow. One with a line break is not a mark.
  const head = lines.slice(0, lines.indexOf('J'));
  const after = (kind: string) => head.find((line) => line.startsWith(`${kind} `))?.slice(2);
  const owner = after('O');
  const mark = owner === undefined ? undefined : markIn(Buffer.from(owner, 'base64').toString('utf8'));
  const proven = mark !== undefined && (await proves(sealer, after('P') ?? '', mark, host.server));
  // Cut off, it may lack the last journal of a service, or how that ended. An older state would be wrong, so no service is reported.
  const isCut = Buffer.byteLength(stdout.slice(stdout.search(/^J$/m) + 2, stdout.lastIndexOf('\nE'))) >= MOST_BYTES;
  return { ...(mark && { mark: { ...mark, proven } }), services: isCut ? [] : servicesIn(lines) };
}

/** Content of one journal. */
interface Journal {
  operation: string;
  taskserv: string;
  /** Milliseconds since 1970. */
  at: number;
  end?: string;
  undone?: string;
  brings?: string;
}

/** A line of a journal's file: when that was written, or how it begins. */
const LINE =
  /^(?:T (?<time>\d{1,11}(?:\.\d+)?)|C) operations\/(?<operation>[A-Za-z0-9][\w.:@+-]{0,254})\/(?<taskserv>[a-z][a-z0-9-]{0,79}(?:@[a-z][a-z0-9-]{0,19})?)\/(?<generation>\d{1,9})\/(?<file>steps|end|undo\/steps|undo\/end|files\/brings)(?<content>$|:.*)/;

/** The last journal of each service that was not undone; where all were, the last. */
export function servicesIn(lines: readonly string[]): JournaledService[] {
  const journals = new Map<string, Journal>();
  for (const line of lines) {
    const { time, operation, taskserv, generation, file, content = '' } = LINE.exec(line)?.groups ?? {};
    if (!operation || !taskserv || taskserv === VOLUMES_UNIT) continue;
    const key = `${operation}/${taskserv}/${generation}`;
    const journal = journals.get(key) ?? { operation, taskserv, at: 0 };
    journals.set(key, journal);
    if (time !== undefined) journal.at = Math.max(journal.at, Number(time) * 1000);
    else if (file === 'end') journal.end = content.slice(1);
    else if (file === 'undo/end') journal.undone = content.slice(1);
    else if (file === 'files/brings') journal.brings = content.slice(1);
  }
  const last = new Map<string, JournaledService>();
  for (const journal of [...journals.values()].sort((a, b) => a.at - b.at)) {
    const service = serviceOf(journal);
    const before = last.get(service.taskserv);
    if (service.outcome !== 'undone' || !before || before.outcome === 'undone') last.set(service.taskserv, service);
  }
  return [...last.values()].sort((a, b) => (a.taskserv < b.taskserv ? -1 : 1)).slice(0, MOST_SERVICES);
}

const ENDS: Readonly<Record<string, JournaledService['outcome']>> = {
  ok: 'done',
  failed: 'failed',
  canceled: 'canceled',
  superseded: 'canceled',
  paused: 'paused',
};

function serviceOf({ operation, taskserv, at, end = '', undone, brings }: Journal): JournaledService {
  return {
    ...{ taskserv, operation, at: new Date(Math.round(at)).toISOString() },
    outcome: undone === 'ok' ? 'undone' : (Object.hasOwn(ENDS, end) && ENDS[end]) || 'unended',
    ...broughtIn(brings),
  };
}

/** It may be shown on a terminal: nothing but what versions and hashes are made of. */
function broughtIn(text = ''): Pick<JournaledService, 'version' | 'config' | 'removed'> {
  try {
    const { version, config, removed } = JSON.parse(text) as Record<string, unknown>;
    if (removed === true) return { removed };
    return {
      ...(typeof version === 'string' && /^[\w.+:~-]{1,80}$/.test(version) && { version }),
      ...(typeof config === 'string' && /^[a-z0-9]{1,20}$/.test(config) && { config }),
    };
  } catch {
    return {};
  }
}
