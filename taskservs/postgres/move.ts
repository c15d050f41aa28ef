import { type DataMove, inputError, type MoveContext, type MovePart } from '../../sdk/index.js';
import { moveScripts } from './move-scripts.js';
import { placesOf } from './places.js';

/**
 * Copies the files while the former server serves, and replays what is written in that time. The service is down only
 * for the last replay.
 *
 * @throws inputError `data-cannot-move` between two major versions
 */
export function moveOfPostgres(context: MoveContext): DataMove {
  const { from, to, version, former } = context;
  if (former.version !== version)
    throw inputError({
      code: 'data-cannot-move',
      what: 'move the data',
      on: `postgres from ${from} to ${to}`,
      why: `postgres has version ${former.version} on ${from} and version ${version} on ${to}, with different file formats`,
      hint: `upgrade it on ${from} first, or set version: '${former.version}'; or move a dump by hand (docs/use/moving-data.md)`,
    });
  const run = moveScripts(placesOf(version), context);
  const again = { read: run.readWal, write: run.writeWal, asks: run.asks };
  return {
    parts: [
      { title: `Check that the data of postgres on ${from} can be copied`, on: 'former', run: run.check },
      { title: `Make room for the data of postgres on ${to}`, on: 'new', run: run.clean, undo: run.clean },
      { title: `Keep the log of postgres on ${from} for the copy`, on: 'former', run: run.hold, undo: run.release },
      {
        title: `Copy the data of postgres from ${from}, which goes on serving`,
        read: run.readBase,
        write: run.writeBase,
        asks: ':',
      },
      { title: `Copy what was written to postgres on ${from} meanwhile`, ...again },
      { title: `Replay that on ${to}`, on: 'new', run: run.follow, undo: run.unfollow },
      // Each round copies the writes of the time of the former round. The last replay should take seconds.
      ...['', ', once more', ', a last time'].flatMap((which): MovePart[] => [
        { title: `Copy what was written since to postgres on ${from}${which}`, ...again },
        { title: `Wait until ${to} has replayed that${which}`, on: 'new', run: run.caughtUp },
      ]),
      { title: `Stop postgres on ${from}; its data stays there`, interrupts: true, on: 'former', run: run.stop, undo: run.start },
      { title: `Copy the last of what was written on ${from}`, read: run.readLast, write: run.writeWal, asks: run.asks },
      { title: `Serve postgres from ${to}`, on: 'new', run: run.serve, undo: run.unserve },
    ],
    written: run.written,
  };
}
