import { PassThrough } from 'node:stream';
import { inputError } from '../../core/errors.js';
import type { DataMove, MoveContext, MovePart } from '../../core/taskserv/data-move.js';
import type { Host, HostOf, HostRef } from '../host/host.js';
import { HOST_STATE } from '../host/paths.js';
import { beat } from '../worked-time.js';
import type { OwnAmong } from './own-modules.js';
import { findTaskserv } from './taskserv-of.js';

export interface PlanMoveInput extends Omit<MoveContext, 'note'> {
  scope: HostRef['scope'];
  taskserv: string;
  config: unknown;
}

/** Both servers of a move, as they are reached now. */
export interface MoveInput extends Pick<HostRef, 'scope'> {
  taskserv: string;
  former: Omit<HostRef, 'scope'>;
  new: Omit<HostRef, 'scope'>;
  part: MovePart;
}

export interface WrittenInput extends HostRef {
  taskserv: string;
  written: string;
}

/** Allowed answers of a host to `asks`. */
const WORD = /^[A-Za-z0-9.]{0,64}$/;

/**
 * Moves the data of a service between servers, part by part. Copied data passes through the worker, and is not stored
 * there.
 */
export function createMoveData({ hostOf, ownAmong }: { hostOf: HostOf; ownAmong: OwnAmong }) {
  const hostsIn = (input: MoveInput) => ({
    former: hostOf({ ...input.former, scope: input.scope }),
    new: hostOf({ ...input.new, scope: input.scope }),
  });

  return {
    /** How the data moves. Throws the input error `data-cannot-move`. */
    async planMove({ scope, taskserv: name, config, ...context }: PlanMoveInput): Promise<DataMove> {
      const taskserv = findTaskserv(await ownAmong(scope.workspace, []), name);
      const note = `${HOST_STATE}/moved-${name}`;
      if (taskserv.moveData) return taskserv.moveData(config, { ...context, note });
      throw inputError({
        code: 'data-cannot-move',
        what: 'move the data',
        on: `${name} from ${context.from} to ${context.to}`,
        why: `this version cannot move the data of ${name}`,
        hint: 'remove moveData from the definition',
      });
    },

    /** Runs one part. If its worker dies, it runs again. */
    async movePart(input: MoveInput): Promise<void> {
      const { part, taskserv } = input;
      const hosts = hostsIn(input);
      beat({ server: input.new.server, taskserv, step: part.title, done: 0, total: 1 });
      if ('run' in part) return void (await hosts[part.on].stream?.(part.run));
      await carry(hosts, input);
    },

    /** Undoes one part. */
    async undoMovePart(input: MoveInput): Promise<void> {
      const { part } = input;
      if ('run' in part && part.undo) await hostsIn(input)[part.on].stream?.(part.undo);
    },

    /** Short description of the writes on the new server since it serves. Empty without writes. */
    async writtenSince({ taskserv: _, written, ...ref }: WrittenInput): Promise<string> {
      return ((await hostOf(ref).stream?.(written)) ?? '').split('\n')[0]?.slice(0, 200) ?? '';
    },
  };
}

/** Reads on one host and writes on the other, at the pace of the slower one. */
async function carry(hosts: { former: Host; new: Host }, { part, new: { server }, taskserv }: MoveInput): Promise<void> {
  if (!('read' in part) || !hosts.former.stream || !hosts.new.stream) return;
  const asked = await hosts.new.stream(part.asks);
  if (!WORD.test(asked)) throw new Error(`${server} sent an unexpected answer to the move`);
  let bytes = 0;
  const way = new PassThrough({ highWaterMark: 1024 * 1024 });
  const telling = setInterval(() => {
    const line = `${Math.round(bytes / 1024 / 1024)} MiB have come`;
    beat({ server, taskserv, step: part.title, done: 0, total: 1, line });
  }, 2_000);
  way.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  // It may end before the hosts are reached, which then say why.
  way.on('error', () => {});
  // A listener starts the flow, and nothing may flow before the other end is there.
  way.pause();
  try {
    const writing = hosts.new.stream(part.write, { input: way });
    const reading = hosts.former.stream(`ASKED=${asked}\n${part.read}`, { output: way });
    // One that fails ends the other: what would come is of no use.
    const ended = (error: Error) => {
      way.destroy(error);
      throw error;
    };
    const results = await Promise.allSettled([reading.catch(ended), writing.catch(ended)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  } finally {
    clearInterval(telling);
  }
}
