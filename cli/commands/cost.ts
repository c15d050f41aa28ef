import type { Command } from '../command.js';
import { costsOf } from '../costs.js';
import { definitionFrom, keepCredentials } from '../definition-file.js';
import { FRESH } from '../provider-account.js';
import { costTable } from '../render/costs.js';
import { writeDocument } from '../render/document.js';
import { paintFor } from '../screen.js';

export const command: Command = {
  arguments: [['<file>', 'a definition (.yaml, .yml, .json)']],
  options: [FRESH],
  details:
    "Servers with their volumes, by the providers' live price lists, before tax, in each provider's currency; a month\nis 730 hours unless the provider caps it. What is not known is said to be unknown. Addresses that are reserved,\ntraffic and backups are not counted.",
  examples: ['cost infra.yaml', 'cost infra.yaml --json'],
  async run(session, { args: [file = ''], flags: { fresh } }) {
    const definition = await definitionFrom(session, file);
    await keepCredentials(session, [...new Set(definition.servers.map(({ provider }) => provider))]);
    const { servers, ...sum } = await costsOf(session, definition, { fresh });
    if (session.json) writeDocument(session, { infra: definition.infra, servers, ...sum });
    else session.out.write(costTable(servers, sum, paintFor(session.out)));
    return 0;
  },
};
