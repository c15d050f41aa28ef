import { convertSource, TARGETS } from '../../definition/rewrite/convert.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { readWhole } from '../shared/read-whole.js';

export const command = defineCommand({
  arguments: [['<file>', 'definition file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [{ flags: '--to <format>', about: 'output format (default: json; yaml if the input is JSON)', choices: [...TARGETS] }],
  details:
    'Prints the file itself: includes are not inserted and expressions stay. Aliases are resolved, comments are lost, and !raw becomes { raw: … }. For a definition in a language it prints the result.',
  examples: ['convert infra.yaml --to json > infra.json', 'convert infra.json', 'convert infra.ts --to yaml'],
  async run(session, { args: [file = ''], flags }) {
    const source = await readWhole(session, file);
    const to = flags.to ?? (file.toLowerCase().endsWith('.json') ? 'yaml' : 'json');
    const text = await convertSource(source, to);
    if (session.json) writeDocument(session, { file, to, text });
    else session.out.data(text);
    return 0;
  },
});
