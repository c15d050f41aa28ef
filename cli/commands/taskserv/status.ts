import { listOf } from '../../../app/request/named.js';
import { inventories } from '../../../app/request/which-infra.js';
import { inputError } from '../../../core/errors.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { servicesOf, serviceTable } from '../../render/inventory.js';
import { ON_SERVERS } from '../../shared/ensure.js';

export const command = defineCommand({
  arguments: [['[name]', 'a taskserv; without a name all of them']],
  options: [INFRA, ON_SERVERS],
  details: 'Shows version and health as last recorded.',
  examples: ['taskserv status', 'taskserv status redis --server db-1,db-2'],
  async run(session, { args: [name], flags }) {
    const all = servicesOf(await inventories(session, flags.infra));
    const servers = listOf([flags.server ?? '']);
    const found = all.filter(
      (service) => (name === undefined || service.taskserv === name) && (servers.length === 0 || servers.includes(service.server)),
    );
    if (name !== undefined && found.length === 0) {
      const hint = didYouMean(name, new Set(all.map(({ taskserv }) => taskserv)));
      throw inputError({ code: 'unknown-taskserv', what: 'find the taskserv', on: name, why: 'it is not installed', hint });
    }
    if (session.json) writeDocument(session, { services: found });
    else session.out.write(serviceTable(found, paintFor(session.out)));
    return 0;
  },
});
