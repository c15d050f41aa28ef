import { inventories } from '../../../app/request/which-infra.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { servicesOf, serviceTable, tableOf } from '../../render/inventory.js';
import type { Session } from '../../session.js';
import { ownAndBuiltIn } from '../../shared/own-and-built-in.js';

export const command = defineCommand({
  options: [
    { ...INFRA, about: 'only of this infra' },
    { flags: '--available', about: 'all that a definition may name' },
  ],
  examples: ['taskserv list --infra shop', 't list --available'],
  async run(session, { flags }) {
    if (flags.available) return listAvailable(session);
    const services = servicesOf(await inventories(session, flags.infra));
    if (session.json) writeDocument(session, { services });
    else session.out.write(serviceTable(services, paintFor(session.out)));
    return 0;
  },
});

async function listAvailable(session: Session): Promise<number> {
  const { taskservs, own } = await ownAndBuiltIn(session);
  const all = Object.values(taskservs).map(({ name, category, versions, description }) => {
    const { origin = 'platform', instead } = own.get(name) ?? {};
    return {
      name,
      category,
      versions: versions.supported,
      default: versions.default,
      description,
      ...{ origin, ...(instead && { instead }) },
    };
  });
  if (session.json) writeDocument(session, { taskservs: all });
  else {
    const from = ({ origin, instead }: (typeof all)[number]) => (instead ? `${origin}, instead of the ${instead}'s` : origin);
    const rows = all.map((one) => [one.name, one.category, one.versions.join(', '), from(one), one.description]);
    session.out.write(tableOf(['TASKSERV', 'CATEGORY', 'VERSIONS', 'FROM', ''], rows, 'no taskservs', paintFor(session.out)));
  }
  return 0;
}
