import { extname } from 'node:path';
import { EXIT } from '../../core/exit-codes.js';
import { folderAround } from '../../definition/layers/workspace-folder.js';
import { formatDefinitionText, type WrittenFormat } from '../../definition/rewrite/format-text.js';
import { writeWhole } from '../../settings/edit/write-file.js';
import { defineCommand } from '../command.js';
import { writeDocument } from '../render/document.js';
import { readWhole, textAsWritten } from '../shared/read-whole.js';

export const command = defineCommand({
  arguments: [['<files...>', 'definition files (.yaml, .yml, .toml, .json)']],
  options: [{ flags: '--check', about: 'change nothing; exit with code 1 if a file is not formatted' }],
  details:
    'Sorts the top-level keys in the order of the schema and indents by two spaces. Comments stay. In TOML each line is aligned to the left, and values stay unchanged. All files are read before the first one is written. Prints the changed files, or with --check the files that would change.',
  examples: ['fmt infra.yaml', 'fmt infra/*.yaml --check'],
  async run(session, { args: files, flags }) {
    const changed: { file: string; text: string }[] = [];
    for (const file of files) {
      await readWhole(session, file);
      const text = await textAsWritten(file);
      const tidy = await formatDefinitionText(text.replace(/^\uFEFF/, ''), writtenAs(file));
      if (tidy !== text) changed.push({ file, text: tidy });
    }
    if (!flags.check)
      for (const { file, text } of changed) await writeWhole(file, text, 0o644, { within: await folderAround(file) });
    const names = changed.map(({ file }) => file);
    if (session.json) writeDocument(session, { files, changed: names, written: !flags.check });
    else session.out.write(names.map((name) => `${name}\n`).join(''));
    return flags.check && changed.length > 0 ? EXIT.failed : EXIT.done;
  },
});

/** Returns the format of a file that is data. */
function writtenAs(file: string): WrittenFormat {
  const ending = extname(file).toLowerCase();
  return ending === '.json' || ending === '.toml' ? ending : '.yaml';
}
