import { runEngine } from '../../../client/engine-program/run-engine.js';
import type { StoreComparison, StoreCopy, StoreMoveResult } from '../../../core/engine/store-move.js';
import { EXIT } from '../../../core/exit-codes.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { reportsFor } from '../../render/reports.js';
import { renderComparison, renderCopy, renderMove } from '../../render/store-move.js';
import { needsYes } from '../../shared/needs-yes.js';

export const command = defineCommand({
  options: [
    { flags: '--to <store>', about: 'target: files, or postgres://USER@HOST:PORT/DATABASE' },
    { flags: '--check', about: 'compare both stores, and change nothing' },
    { flags: '--yes', about: 'skip the confirmation before the switch' },
  ],
  details:
    'Copies secrets, keys, feeds, payloads, logs and all other state while operations run. Then it asks, stops the worker for some seconds, compares both stores, changes store.url of the settings, and starts the worker again. Until then the former store stays in use: run an interrupted command again. The password comes from store.passwordFile, PGPASSWORD or ~/.pgpass; do not put it in the address. With --check, exit code 1 if the stores differ.',
  examples: ['store migrate --to postgres://provisioning@db.example.org/provisioning', 'store migrate --to files --check'],
  async run(session, { flags: { to = '', check, yes } }) {
    if (check) {
      const result = await runMove<StoreComparison>(session, to, 'check');
      if (session.json) writeDocument(session, result);
      else session.out.write(renderComparison(result, paintFor(session.out)));
      return result.equal ? EXIT.done : EXIT.failed;
    }
    if (!yes) {
      needsYes(session, 'move the store', undefined, '--check to only look');
      const copied = await runMove<StoreCopy>(session, to, 'copy');
      session.out.write(renderCopy(copied, paintFor(session.out)));
      if (copied.from !== copied.to && !(await session.confirm(`Stop the worker, and switch to ${copied.to}?`))) {
        session.out.write(`The platform uses ${copied.from}. Run the command again to switch.\n`);
        return EXIT.canceled;
      }
    }
    const result = await runMove<StoreMoveResult>(session, to, 'switch');
    if (session.json) writeDocument(session, result);
    else session.out.write(renderMove(result, paintFor(session.out)));
    return EXIT.done;
  },
});

/**
 * Runs one part of the move in the engine's program. The target may contain a password, so it is passed in the
 * environment.
 */
async function runMove<T>(session: Session, to: string, verb: 'check' | 'copy' | 'switch'): Promise<T> {
  const reports = reportsFor(session);
  const env = { ...session.env, STORE_MOVE_TO: to };
  const around = { env, verbose: session.verbose, err: session.err };
  return (await runEngine<T>(around, ['store', verb], reports.report).finally(reports.end)).result;
}
