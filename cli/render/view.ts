import type { Session } from '../program/session.js';
import { LiveView } from './live-view.js';
import { PlainView, type View } from './plain-view.js';

const SILENT: View = { update: () => {}, end: () => {} };

/** A table that is redrawn on a terminal, lines on a pipe; with `--json` nothing, or with `--verbose` lines on standard error. */
export function viewFor(session: Session): View {
  if (session.json) return session.verbose ? new PlainView(session.err) : SILENT;
  return session.out.live ? new LiveView(session.out) : new PlainView(session.out);
}
