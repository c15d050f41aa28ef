import { askZones } from '../../../authoring/catalog/answers.js';
import { accountNamed } from '../../../authoring/catalog/provider-account.js';
import { defineCommand, FRESH } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['<provider>', 'a provider, or one of its accounts: hetzner/prod']],
  options: [FRESH],
  details: 'A definition names a zone, or a region, which all providers share.',
  examples: ['provider zones hetzner', 'p zones upcloud/prod --json'],
  async run(session, { args: [written = ''], flags: { fresh } }) {
    const { name } = await accountNamed(session, written);
    const { at, answer } = await askZones(session, name, { fresh });
    if (session.json) {
      writeDocument(session, { provider: name, at, zones: answer });
      return 0;
    }
    const rows = answer.map(({ name: zone, region, title }) => [zone, region ?? '', title]);
    session.out.write(renderTable(['ZONE', 'REGION', ''], rows, 'no zones', paintFor(session.out)));
    return 0;
  },
});
