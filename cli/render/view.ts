import type { Session } from '../program/session.js';
import { LiveView } from './live-view.js';
import { PlainView, type View } from './plain-view.js';

const SILENT: View = { update: () => {}, end: () => {} };

/**
 * Returns a view: a redrawn table on a terminal, lines on a pipe. With `--json` it is empty, or has lines on standard
 * error with `--verbose`.
 */
export function viewFor(session: Session): View {
  if (session.json) return session.verbose ? new PlainView(session.err) : SILENT;
  return session.out.live ? new LiveView(session.out) : new PlainView(session.out);
}
