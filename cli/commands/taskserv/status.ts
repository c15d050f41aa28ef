import { liveServices } from '../../../app/infra/live-services.js';
import { selectNamed, splitList } from '../../../authoring/request/named.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { inputError } from '../../../core/errors.js';
import type { Inventory } from '../../../core/infra/inventory.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { servicesOf } from '../../render/inventory.js';
import { listRecordedServices, liveServiceTable, remarks } from '../../render/status.js';
import { SERVERS_OPTION } from '../../shared/ensure.js';
import { exitCodeOf, findRecordedTimes, LOOK_OPTIONS, LOOKING_DETAILS, look, renderRecordedTimes } from '../../shared/status.js';

export const command = defineCommand({
  arguments: [['[name]', 'a taskserv (default: all taskservs)']],
  options: [INFRA, SERVERS_OPTION, ...LOOK_OPTIONS],
  details: `Checks all hosts in parallel and reports the state of each service. The states are: healthy; differs, if it is healthy but the next apply\nwould change it; unhealthy; missing; unknown, if its host does not answer. ${LOOKING_DETAILS}`,
  examples: ['taskserv status', 'taskserv status redis --server db-1,db-2', 'taskserv status --recorded'],
  async run(session, { args: [name], flags }) {
    const all = await inventories(session, flags.infra);
    const servers = splitList([flags.server ?? '']);
    const [first] = all;
    if (first && servers.length > 0 && all.length === 1) await selectNamed(session, first, { servers });
    if (name !== undefined) refuseUnknown(all, name);
    if (flags.recorded) return showRecorded(session, all, { name, servers });
    const found = name === undefined ? all : all.filter((inventory) => namesIn(inventory).includes(name));
    const looked = await look(session, found, {
      ...{ servers, taskservs: name === undefined ? [] : [name], clouds: false },
      timeout: flags.timeout,
    });
    const services = liveServices(looked, (taskserv) => name === undefined || taskserv === name);
    const paint = paintFor(session.out);
    if (session.json) writeDocument(session, { services });
    else session.out.write(`${liveServiceTable(services, paint)}${remarks(looked, paint)}`);
    return exitCodeOf(looked);
  },
});

interface Asked {
  name: string | undefined;
  servers: string[];
}

async function showRecorded(session: Session, all: Inventory[], { name, servers }: Asked): Promise<number> {
  const services = servicesOf(all).filter(
    (one) => (name === undefined || one.taskserv === name) && (servers.length === 0 || servers.includes(one.server)),
  );
  const recorded = await findRecordedTimes(session, all);
  if (session.json) writeDocument(session, { recorded, services });
  else
    session.out.write(
      `${renderRecordedTimes(session, recorded)}${liveServiceTable(listRecordedServices(services), paintFor(session.out))}`,
    );
  return 0;
}

/** Returns the taskservs that are on an infra's servers or in its definition. */
const namesIn = ({ servers, definition }: Inventory): string[] => [
  ...Object.values(servers).flatMap(({ services }) => Object.keys(services)),
  ...(definition?.servers ?? []).flatMap(({ taskservs }) => taskservs.map((taskserv) => taskserv.name)),
];

function refuseUnknown(all: readonly Inventory[], name: string): void {
  const known = new Set(all.flatMap(namesIn));
  if (known.has(name)) return;
  const hint = didYouMean(name, known);
  throw inputError({ code: 'unknown-taskserv', what: 'find the taskserv', on: name, why: 'the taskserv is not installed', hint });
}
