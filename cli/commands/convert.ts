import { converted } from '../../definition/rewrite/convert.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { readWhole } from '../shared/read-whole.js';

export const command = defineCommand({
  arguments: [['<file>', 'a definition (.yaml, .yml, .json)']],
  options: [{ flags: '--to <format>', about: 'the format (default: the other one)', choices: ['yaml', 'json'] }],
  details:
    'Prints the file as it is written, without what it includes and with its expressions. Aliases are resolved; JSON has no comments, and !raw becomes { raw: … }.',
  examples: ['convert infra.yaml --to json > infra.json', 'convert infra.json'],
  async run(session, { args: [file = ''], flags }) {
    const source = await readWhole(file);
    const to = flags.to ?? (file.toLowerCase().endsWith('.json') ? 'yaml' : 'json');
    const text = converted(source, to);
    if (session.json) writeDocument(session, { file, to, text });
    else session.out.data(text);
    return 0;
  },
});
