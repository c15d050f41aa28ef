import { formerSource, readFormerText, writeSource } from '../../../authoring/former/former-source.js';
import { sizeText } from '../../../core/limits.js';
import { defineCommand } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['<infra>', 'name of the infra']],
  options: [
    { flags: '--number <which>', about: 'number or content address of `infra history` (default: 1, the newest)' },
    { flags: '--file <path>', about: 'print this file' },
    { flags: '--out <folder>', about: 'write all files into a new folder' },
  ],
  details:
    'Each apply stores the source files of its definition: the file itself, its overlay, included files, and files with values of variables. They are stored encrypted, each text once. They contain no values of `--var` and no secrets.',
  examples: ['infra source shop', 'infra source shop --number 2 --out shop-before', 'infra source shop --file infra/shop.yaml'],
  async run(session, { args: [infra], flags: { number = '1', file, out } }) {
    const source = await formerSource(session, infra, number);
    if (file !== undefined) {
      const text = await readFormerText(session, source, file);
      if (session.json) writeDocument(session, { infra, path: file, text });
      else session.out.write(text);
      return 0;
    }
    if (out !== undefined) await writeSource(session, source, out);
    const { bundle, row, address } = source;
    const { main, environment, files } = bundle;
    if (session.json) {
      const of = { number: source.number, hash: row.hash, operation: row.operation, bundle: address };
      writeDocument(session, { infra, ...of, main, ...(environment && { environment }), files, ...(out !== undefined && { out }) });
      return 0;
    }
    const rows = files.map(({ path, size }) => [path, sizeText(size), path === main ? 'the file that was named' : '']);
    session.out.write(renderTable(['FILE', 'SIZE', ''], rows, 'no files', paintFor(session.out)));
    if (out !== undefined) session.out.write(`written into ${out}\n`);
    return 0;
  },
});
