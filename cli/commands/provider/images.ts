import { askImages } from '../../../authoring/catalog/answers.js';
import { accountNamed } from '../../../authoring/catalog/provider-account.js';
import { defineCommand, FRESH } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['<provider>', 'a provider, or one of its accounts: hetzner/prod']],
  options: [FRESH],
  details: 'Use the name of the first column in a definition.',
  examples: ['provider images hetzner', 'p images upcloud/prod --json'],
  async run(session, { args: [written = ''], flags: { fresh } }) {
    const { name } = await accountNamed(session, written);
    const { at, answer } = await askImages(session, name, { fresh });
    if (session.json) {
      writeDocument(session, { provider: name, at, images: answer });
      return 0;
    }
    const rows = answer.map(({ name: image, id, title }) => [image, id, title]);
    session.out.write(renderTable(['IMAGE', 'ID', ''], rows, 'no images', paintFor(session.out)));
    return 0;
  },
});
