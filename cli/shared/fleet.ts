import type { Fleet, FleetVersion } from '../../core/engine/fleet.js';
import { columns, paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';

const MEANING: Readonly<Record<FleetVersion['state'], string>> = {
  current: 'operations begin on it',
  ramping: 'a share of operations begins on it',
  draining: 'its operations go on; none begin',
  drained: 'its workers may go',
  inactive: 'nothing begins on it yet',
};

/** Shows the versions of a fleet. */
export function showFleet(session: Session, fleet: Fleet): void {
  if (session.json) writeDocument(session, fleet);
  else session.out.write(render(session, fleet));
}

function render(session: Session, { deployment, versions }: Fleet): string {
  const paint = paintFor(session.out);
  if (versions.length === 0) return `${deployment}: no worker has been seen yet\n`;
  const rows = versions.map(({ build, state, percent, operations = 0 }) => [
    build,
    paint(state === 'current' ? 'green' : 'dim', percent === undefined ? state : `${state} ${percent} %`),
    `${operations} running`,
    paint('dim', MEANING[state]),
  ]);
  return `${columns(rows).join('\n')}\n`;
}
