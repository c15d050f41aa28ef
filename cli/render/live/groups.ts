import type { LiveStatus } from '../../../authoring/request/live-status.js';
import { type GroupStatus, groupText } from '../../../core/taskserv/groups/group-status.js';
import type { Paint } from '../../program/screen.js';

/** Renders the groups of services, one line each. Of the looks from its members, the one counts that saw the most. */
export function groupLines(all: readonly Pick<LiveStatus, 'report'>[], paint: Paint): string {
  return all
    .flatMap(({ report: { hosts = [] } }) => {
      const groups = new Map<string, { taskserv: string; group: GroupStatus }>();
      for (const { taskserv, group } of hosts.flatMap(({ services = [] }) => services)) {
        const known = group && groups.get(`${taskserv}/${group.name}`);
        if (group && (!known || countSeen(known.group) < countSeen(group)))
          groups.set(`${taskserv}/${group.name}`, { taskserv, group });
      }
      return [...groups.values()].map(({ taskserv, group }) => `${renderGroup(taskserv, group, paint)}`);
    })
    .join('');
}

/** Renders one group in one line. */
export const renderGroup = (taskserv: string, group: GroupStatus, paint: Paint): string =>
  `${paint(colourOf(group), groupText(taskserv, group))}\n`;

const countSeen = ({ members }: GroupStatus): number => members.filter(({ state }) => state === 'seen').length;

function colourOf({ needed, members }: GroupStatus): 'green' | 'yellow' | 'red' {
  const serving = members.filter(({ serves }) => serves).length;
  if (serving < Math.max(1, needed)) return 'red';
  return serving === members.length && !members.some(({ clock }) => clock) ? 'green' : 'yellow';
}
