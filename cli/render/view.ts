import type { Progress } from '../../core/operation/operation.js';
import type { Session } from '../session.js';
import { LiveView } from './live-view.js';
import { PlainView } from './plain-view.js';

/** Shows an operation while it runs. */
export interface View {
  update(progress: Progress): void;
  /**
   * Leaves the screen as the next writer expects it.
   *
   * @param keep whether what was last shown still tells something
   */
  end(keep: boolean): void;
}

const SILENT: View = { update: () => {}, end: () => {} };

/** A table that is redrawn on a terminal, lines on a pipe; with `--json` nothing, or with `--verbose` lines on standard error. */
export function viewFor(session: Session): View {
  if (session.json) return session.verbose ? new PlainView(session.err) : SILENT;
  return session.out.live ? new LiveView(session.out) : new PlainView(session.out);
}
