import { converted, TARGETS } from '../../definition/rewrite/convert.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { readWhole } from '../shared/read-whole.js';

export const command = defineCommand({
  arguments: [['<file>', 'a definition (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [{ flags: '--to <format>', about: 'the format (default: json, of JSON yaml)', choices: [...TARGETS] }],
  details:
    'Prints the file as it is written, without what it includes and with its expressions. Aliases are resolved; comments are lost, and !raw becomes { raw: … }. Of a definition in a language it is what that makes of it.',
  examples: ['convert infra.yaml --to json > infra.json', 'convert infra.json', 'convert infra.ts --to yaml'],
  async run(session, { args: [file = ''], flags }) {
    const source = await readWhole(session, file);
    const to = flags.to ?? (file.toLowerCase().endsWith('.json') ? 'yaml' : 'json');
    const text = await converted(source, to);
    if (session.json) writeDocument(session, { file, to, text });
    else session.out.data(text);
    return 0;
  },
});
