import { definitionRows } from '../../../authoring/former/former-definition.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { definitionTable } from '../../render/definitions.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  details:
    'Newest first, with author, time and roll-back. Lists the last twenty. Complete texts are stored up to 4 MB in total, always including the current and the previous one.',
  examples: ['infra history shop', 'infra history shop --json'],
  async run(session, { args: [infra] }) {
    const definitions = (await definitionRows(session, infra)).map((row, index) => ({ number: index + 1, ...row }));
    if (session.json) writeDocument(session, { infra, definitions });
    else session.out.write(definitionTable([{ infra, definitions }], paintFor(session.out)));
    return 0;
  },
});
