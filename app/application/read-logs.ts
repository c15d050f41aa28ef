import { sh } from '../../core/host/shell.js';
import type { Engine } from '../engine.js';
import { type Application, type ApplicationPlace, findApplication, unitOf } from './applications.js';
import { askServers } from './ask-servers.js';
import { followServers, type ServerLine } from './follow-servers.js';
import { findHostScripts } from './host-scripts.js';
import { reserveSessions } from './reserve-sessions.js';
import { parseSince } from './since.js';

const WHAT = 'read the logs';

/** Which lines are read of the journals. */
export interface LogsWish extends ApplicationPlace {
  /** A process by its name; absent: all. */
  process?: string | undefined;
  /** An age, `2h`, or a time that journalctl accepts. */
  since?: string | undefined;
  /** Lines of each server. Default: 100. */
  lines?: number | undefined;
  /** Whether new lines follow until the reader leaves. */
  follow?: boolean | undefined;
}

/**
 * Reads the journals of an application on its servers, sorted by time, or follows them as lines come.
 *
 * @throws inputError `unknown-infra`, `unknown-app`, `unknown-process`; without `follow` inputError `app-not-asked`;
 *   unreachableError `no-worker`; with `follow` unreachableError `logs-limited`
 */
export async function* readLogs(engine: Engine, wish: LogsWish, signal?: AbortSignal): AsyncGenerator<ServerLine> {
  const app = await findApplication(engine, wish, WHAT);
  const journal = journalScript(app, wish);
  if (!wish.follow) {
    yield* await readSorted(engine, app, journal, signal);
    return;
  }
  const scripts = findHostScripts(engine, WHAT);
  const free = reserveSessions(scripts, wish.application, app.servers.length);
  try {
    const hosts = await scripts.open(app.inventory, app.servers);
    try {
      yield* followServers(hosts, app.servers, endWithInput(`${journal} --follow`), signal);
    } finally {
      hosts.close();
    }
  } finally {
    free();
  }
}

async function readSorted(engine: Engine, app: Application, journal: string, signal?: AbortSignal): Promise<ServerLine[]> {
  const said = await askServers(engine, app, `exec ${journal}`, { what: WHAT, signal });
  const lines = [...said].flatMap(([server, text]) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ server, line })),
  );
  return lines.sort((a, b) => (timeOf(a.line) < timeOf(b.line) ? -1 : 1));
}

/** The time that a line of the journal begins with, to the microsecond. */
const timeOf = (line: string): string => line.slice(0, 26);

function journalScript(app: Application, { process, since, lines = 100 }: LogsWish): string {
  const processes = process === undefined ? Object.keys(app.config.processes) : [process];
  const units = processes.map((one) => `--unit=${unitOf(app, one)}`);
  const from = since === undefined ? [] : [`--since=${parseSince(since)}`];
  return sh`journalctl --quiet --no-pager --utc --output=short-iso-precise ${`--lines=${lines}`} ${units} ${from}`;
}

/**
 * A script that runs a command until standard input ends, and ends as the command does. A command that prints nothing does
 * not notice that its connection was closed, and would run on.
 */
export const endWithInput = (command: string): string => `exec 3<&0
${command} </dev/null 3<&- &
command=$!
( while IFS= read -r _; do :; done; kill "$command" ) <&3 3<&- >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$command"
code=$?
kill "$watch" 2>/dev/null
exit "$code"`;
