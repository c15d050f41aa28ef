import { computeCosts } from '../../authoring/catalog/costs.js';
import { definitionFrom } from '../../authoring/definition/definitions.js';
import { keepCredentials } from '../../authoring/secrets/keep-environment.js';
import { DEFINITION_INPUT, defineCommand, FRESH } from '../command.js';
import { paintFor } from '../program/screen.js';
import { costTable } from '../render/costs.js';
import { writeDocument } from '../render/document.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../shared/without-git-servers.js';

export const command = defineCommand({
  arguments: [['<file>', 'definition file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [FRESH, ...DEFINITION_INPUT],
  details: [
    "Adds up servers with their disks, volumes, public addresses and firewalls, if billed separately. Prices come from the\nproviders' live price lists, before tax, in each provider's currency. A month is 730 hours unless the provider caps it. If the price of\na part is unknown, the price of the server is unknown. Networks, traffic and backups are not counted. --json lists the parts.",
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['cost infra.yaml', 'cost infra.yaml --json'],
  async run(session, { args: [file = ''], flags }) {
    const definition = await definitionFrom(forbidGitServers(session), file, flags);
    await keepCredentials(session, [...new Set(definition.servers.map(({ provider }) => provider))]);
    const { servers, ...sum } = await computeCosts(session, definition, { fresh: flags.fresh });
    if (session.json) writeDocument(session, { infra: definition.infra, servers, ...sum });
    else session.out.write(costTable(servers, sum, paintFor(session.out)));
    return 0;
  },
});
