import { answersWithinMs } from '../../../authoring/request/live-status.js';
import { chooseNamedInfra } from '../../../authoring/request/which-infra.js';
import { EXIT, exitCodeOfCommand } from '../../../core/exit-codes.js';
import { detailsOf, failureDocument } from '../../program/failure.js';
import { Interrupted } from '../../program/interrupted.js';
import type { Session } from '../../program/session.js';
import { jsonText, writeDocument } from '../../render/document.js';
import { upgradeTaskserv, type WhichVersion } from '../versions/upgrade.js';

type Flags = Parameters<typeof upgradeTaskserv>[3];

/** Outcome of one service, for programs. */
interface Upgrade {
  taskserv: string;
  exitCode: number;
  /** Document of its operation or its preview. */
  result?: unknown;
  /** Why it did not begin, or cannot be followed. */
  error?: unknown;
}

/**
 * Upgrades the outdated services of a cluster, one after another. Each has its own preview and confirmation. It stops
 * at the first that fails or is declined.
 *
 * @param named only this taskserv; default: all
 * @returns the exit code of the last one
 */
export async function upgradeCluster(session: Session, name: string, named: string | undefined, which: WhichVersion, flags: Flags) {
  const infra = await chooseNamedInfra(session, flags, name);
  const taskservs = named === undefined ? await outdatedIn(session, infra, which) : [named];
  if (taskservs === undefined) return EXIT.notReached;
  const upgrades: Upgrade[] = [];
  let code: number = EXIT.done;
  for (const taskserv of taskservs) {
    const printed: string[] = [];
    const captured = { ...session.out, write: (text: string) => void printed.push(text) };
    const own: Session = session.json
      ? Object.create(session, { out: { value: captured }, documentText: { value: jsonText } })
      : session;
    if (!session.json) session.out.write(`── ${taskserv}\n`);
    let error: unknown;
    try {
      code = await upgradeTaskserv(own, taskserv, which, { ...flags, infra });
    } catch (thrown) {
      // The document must have the services that are upgraded already.
      if (!session.json) throw thrown;
      code = thrown instanceof Interrupted ? EXIT.interrupted : exitCodeOfCommand(detailsOf(thrown));
      error = thrown instanceof Interrupted ? { why: 'Ctrl-C' } : failureDocument(thrown).error;
    }
    const document = printed.length > 0 ? readDocument(printed.join('')) : undefined;
    upgrades.push({
      ...{ taskserv, exitCode: code },
      ...(document !== undefined && { result: document }),
      ...(error !== undefined && { error }),
    });
    if (code !== EXIT.done && code !== EXIT.changes) break;
  }
  if (session.json) writeDocument(session, { infra, upgrades });
  else if (taskservs.length === 0) session.out.write('nothing is outdated\n');
  return upgrades.some(({ exitCode }) => exitCode === EXIT.changes) && code === EXIT.done ? EXIT.changes : code;
}

/** Returns a printed document. Undefined if it was not written to its end. */
function readDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the taskservs with newer versions of the wanted kind. Undefined, with a report, if a host did not answer. */
async function outdatedIn(session: Session, infra: string, { strategy }: WhichVersion): Promise<string[] | undefined> {
  const client = await session.client();
  const withinMs = await answersWithinMs(session);
  const services = await client.taskservs.outdated({ workspace: session.workspace, infra, withinMs });
  const silent = services.filter(({ why }) => why !== undefined);
  if (silent.length > 0) {
    const servers = [...new Set(silent.map(({ server, why }) => `${server}: ${why}`))];
    if (session.json) writeDocument(session, { infra, upgrades: [], silent: silent.map(({ server, why }) => ({ server, why })) });
    session.err.write(`${servers.join('\n')}\nnothing was upgraded: first make these servers answer\n`);
    return undefined;
  }
  const kinds = { none: [], patch: ['patch'], minor: ['patch', 'minor'], major: ['patch', 'minor', 'major'] } as const;
  const wanted: readonly ('patch' | 'minor' | 'major')[] = kinds[strategy ?? 'none'];
  const isWanted = (one: (typeof services)[number]) => one.newer !== undefined || wanted.some((kind) => one[kind] !== undefined);
  return [...new Set(services.filter(isWanted).map(({ taskserv }) => taskserv))];
}
